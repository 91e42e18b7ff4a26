#include "taper/ops/gradient.h"

#include <algorithm>

#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/ops/indexing.h"

namespace taper {
namespace {

/// Returns the dimensions to differentiate, not negative, after checking them, `edge_order` and the
/// dtype.
Dims checked_dims(const Tensor& input, const std::optional<Dims>& dim, std::int64_t edge_order) {
  if (input.dtype() == DType::u8)
    fail<NotImplementedError>("gradient: torch.gradient does not support uint8 input.");
  if (edge_order != 1 && edge_order != 2)
    fail<ValueError>("gradient: only supports edge_order=1 and edge_order=2, got {}", edge_order);
  const auto rank = static_cast<std::size_t>(input.dim());
  Dims dims;
  if (!dim)
    for (std::size_t d = 0; d < rank; ++d) dims.push_back(static_cast<std::int64_t>(d));
  else
    for (const std::int64_t d : *dim) {
      if (rank == 0)
        fail<IndexError>("gradient: Dimension specified as {} but tensor has no dimensions", d);
      const std::int64_t wrapped = wrap_dim(d, rank, "gradient");
      if (std::find(dims.begin(), dims.end(), wrapped) != dims.end())
        fail<ValueError>("gradient: dim {} appears multiple times in the list of dims", wrapped);
      dims.push_back(wrapped);
    }
  for (const std::int64_t d : dims)
    if (input.size(d) <= edge_order)
      fail<ShapeError>(
          "gradient: expected each dimension size to be at least edge_order+1, got {} and {}",
          input.shape(), edge_order);
  return dims;
}

void check_spacings(const Tensor& input, const std::optional<Dims>& dim, std::size_t expected,
                    std::size_t got) {
  if (expected == got) return;
  if (dim)
    fail<ShapeError>(
        "gradient: expected spacing to be unspecified, a scalar or it's spacing and dim arguments "
        "to have the same length, but got a spacing argument of length {} and a dim argument of "
        "length {}.",
        got, expected);
  fail<ShapeError>(
      "gradient: expected spacing to be unspecified, a scalar, or a list of length equal to "
      "'self.dim() = {}', since dim argument was not given, but got a list of length {}",
      input.dim(), got);
}

/// Differences of evenly spaced samples along `d`.
Tensor even_gradient(const Tensor& x, std::int64_t d, const Scalar& spacing,
                     std::int64_t edge_order) {
  const std::int64_t n = x.size(d);
  const auto at = [&](std::int64_t i) { return x.narrow(d, i < 0 ? n + i : i, 1); };
  const auto between = x.narrow(d, 2, n - 2).sub(x.narrow(d, 0, n - 2)).div(2);
  Tensor first, last;
  if (edge_order == 1) {
    first = at(1).sub(at(0));
    last = at(-1).sub(at(-2));
  } else {
    first = at(0).mul(-1.5).add(at(1).mul(2)).sub(at(2).mul(0.5));
    last = at(-1).mul(1.5).sub(at(-2).mul(2)).add(at(-3).mul(0.5));
  }
  return cat({first, between, last}, d).div(spacing);
}

/// Differences of samples at `coordinates` along `d`.
Tensor uneven_gradient(const Tensor& x, std::int64_t d, const Tensor& coordinates,
                       std::int64_t edge_order) {
  const std::int64_t n = x.size(d);
  if (coordinates.dim() != 1)
    fail<ShapeError>(
        "gradient: expected each element of spacing to have one dimension, but got an element with "
        "{} dimensions!",
        coordinates.dim());
  if (coordinates.size(0) != n)
    fail<ShapeError>("gradient: got {} coordinates, expected {} for dimension {}",
                     coordinates.size(0), n, d);
  Shape column = Shape::filled(static_cast<std::size_t>(x.dim()), 1);
  column[static_cast<std::size_t>(d)] = n - 1;
  const Tensor h =
      coordinates.narrow(0, 1, n - 1).sub(coordinates.narrow(0, 0, n - 1)).reshape(column);
  const auto at = [&](std::int64_t i) { return x.narrow(d, i < 0 ? n + i : i, 1); };
  const auto step = [&](std::int64_t i) { return h.narrow(d, i < 0 ? n - 1 + i : i, 1); };
  // The parabola through three neighbors, where `a` and `b` are the distances between them.
  const Tensor a = h.narrow(d, 0, n - 2), b = h.narrow(d, 1, n - 2), sum = a.add(b);
  const Tensor between = x.narrow(d, 0, n - 2)
                             .mul(b.neg().div(a.mul(sum)))
                             .add(x.narrow(d, 1, n - 2).mul(b.sub(a).div(a.mul(b))))
                             .add(x.narrow(d, 2, n - 2).mul(a.div(b.mul(sum))));
  Tensor first, last;
  if (edge_order == 1) {
    first = at(1).sub(at(0)).div(step(0));
    last = at(-1).sub(at(-2)).div(step(-1));
  } else {
    const auto edge = [](const Tensor& p, const Tensor& q, const Tensor& u, const Tensor& v,
                         const Tensor& w) {
      const Tensor both = p.add(q);
      return u.mul(p.mul(2).add(q).neg().div(p.mul(both)))
          .add(v.mul(both.div(p.mul(q))))
          .sub(w.mul(p.div(q.mul(both))));
    };
    first = edge(step(0), step(1), at(0), at(1), at(2));
    last = edge(step(-1), step(-2), at(-1), at(-2), at(-3)).neg();
  }
  return cat({first, between, last}, d);
}

}  // namespace

std::vector<Tensor> gradient(const Tensor& input, const Scalar& spacing,
                             const std::optional<Dims>& dim, IntArg edge_order) {
  std::vector<Tensor> result;
  for (const std::int64_t d : checked_dims(input, dim, edge_order))
    result.push_back(even_gradient(input, d, spacing, edge_order));
  return result;
}

std::vector<Tensor> gradient(const Tensor& input, const std::vector<Scalar>& spacing,
                             const std::optional<Dims>& dim, IntArg edge_order) {
  const Dims dims = checked_dims(input, dim, edge_order);
  check_spacings(input, dim, dims.size(), spacing.size());
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < dims.size(); ++i)
    result.push_back(even_gradient(input, dims[i], spacing[i], edge_order));
  return result;
}

std::vector<Tensor> gradient(const Tensor& input, const std::vector<Tensor>& spacing,
                             const std::optional<Dims>& dim, IntArg edge_order) {
  const Dims dims = checked_dims(input, dim, edge_order);
  check_spacings(input, dim, dims.size(), spacing.size());
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < dims.size(); ++i)
    result.push_back(uneven_gradient(input, dims[i], spacing[i], edge_order));
  return result;
}

}  // namespace taper
