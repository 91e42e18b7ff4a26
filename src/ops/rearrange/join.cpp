// Stacking, grids and products of lists of tensors.
#include <algorithm>
#include <limits>

#include "ops/forms.h"
#include "ops/promote.h"
#include "taper/core/factory.h"
#include "taper/core/tensor_span.h"

namespace taper {
namespace {

using detail::as_span;
using Tensors = std::span<const Tensor>;

/// Returns f of each tensor. Throws ValueError for an empty list.
template <class F> std::vector<Tensor> map_list(Tensors tensors, std::string_view op, F&& f) {
  if (tensors.empty()) fail<ValueError>("{}: expects a non-empty TensorList", op);
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(f(t));
  return results;
}

}  // namespace

Tensor concat(Tensors tensors, IntArg dim) { return cat(tensors, dim); }
Tensor concat(std::initializer_list<Tensor> tensors, IntArg dim) { return cat(tensors, dim); }
Tensor concatenate(Tensors tensors, IntArg dim) { return cat(tensors, dim); }
Tensor concatenate(std::initializer_list<Tensor> tensors, IntArg dim) { return cat(tensors, dim); }

Tensor hstack(Tensors tensors) {
  const auto parts = map_list(tensors, "hstack", [](const Tensor& t) { return atleast_1d(t); });
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}
Tensor hstack(std::initializer_list<Tensor> tensors) { return hstack(as_span(tensors)); }
Tensor vstack(Tensors tensors) {
  return cat(map_list(tensors, "vstack", [](const Tensor& t) { return atleast_2d(t); }), 0);
}
Tensor vstack(std::initializer_list<Tensor> tensors) { return vstack(as_span(tensors)); }
Tensor row_stack(Tensors tensors) { return vstack(tensors); }
Tensor row_stack(std::initializer_list<Tensor> tensors) { return vstack(as_span(tensors)); }
Tensor dstack(Tensors tensors) {
  return cat(map_list(tensors, "dstack", [](const Tensor& t) { return atleast_3d(t); }), 2);
}
Tensor dstack(std::initializer_list<Tensor> tensors) { return dstack(as_span(tensors)); }
Tensor column_stack(Tensors tensors) {
  return hstack(map_list(tensors, "column_stack", [](const Tensor& t) {
    return t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t;
  }));
}
Tensor column_stack(std::initializer_list<Tensor> tensors) {
  return column_stack(as_span(tensors));
}

Tensor block_diag(Tensors tensors) {
  std::int64_t rows = 0, cols = 0;
  std::vector<OpInput> operands;
  std::vector<Tensor> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() > 2)
      fail<ShapeError>(
          "block_diag: Input tensors must have 2 or fewer dimensions. Input {} has {} dimensions",
          i, tensors[i].dim());
    blocks.push_back(atleast_2d(tensors[i]));
    operands.emplace_back(tensors[i]);
    if (__builtin_add_overflow(rows, blocks[i].size(0), &rows) ||
        __builtin_add_overflow(cols, blocks[i].size(1), &cols))
      fail<ShapeError>("block_diag: a size of the result exceeds 2^63 - 1");
  }
  if (blocks.empty()) return empty({1, 0});
  const Tensor result =
      zeros({rows, cols}, {.dtype = result_type(operands), .device = blocks[0].device()});
  std::int64_t row = 0, col = 0;
  for (const Tensor& b : blocks) {
    const std::int64_t height = b.size(0), width = b.size(1);
    result.narrow(0, row, height).narrow(1, col, width).copy_(b);
    row += height, col += width;
  }
  return result;
}
Tensor block_diag(std::initializer_list<Tensor> tensors) { return block_diag(as_span(tensors)); }

std::vector<Tensor> meshgrid(Tensors tensors, std::string_view indexing) {
  if (tensors.empty()) fail<ValueError>("meshgrid: expects a non-empty TensorList");
  if (indexing != "ij" && indexing != "xy")
    fail<ValueError>("meshgrid: indexing must be one of 'xy' or 'ij', but received: '{}'",
                     indexing);
  Shape shape;
  for (const Tensor& t : tensors) {
    if (t.dim() > 1)
      fail<ShapeError>("meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {}",
                       t.shape());
    if (t.dtype() != tensors[0].dtype())
      fail<DTypeError>("meshgrid: expects all tensors to have the same dtype: got {} and {}",
                       tensors[0].dtype(), t.dtype());
    if (!(t.device() == tensors[0].device()))
      fail<DeviceError>("meshgrid: expects all tensors to have the same device: got {} and {}",
                        tensors[0].device(), t.device());
    shape.push_back(t.numel());
  }
  const bool swaps = indexing == "xy" && tensors.size() >= 2;
  if (swaps) std::swap(shape[0], shape[1]);
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t d = swaps && i < 2 ? 1 - i : i;
    Shape along = Shape::filled(shape.size(), 1);
    along[d] = tensors[i].numel();
    grids.push_back(tensors[i].reshape(along).expand(shape));
  }
  return grids;
}
std::vector<Tensor> meshgrid(std::initializer_list<Tensor> tensors, std::string_view indexing) {
  return meshgrid(as_span(tensors), indexing);
}

Tensor cartesian_prod(Tensors tensors) {
  for (const Tensor& t : tensors)
    if (t.dim() != 1)
      fail<ShapeError>("cartesian_prod: Expect a 1D vector, but got shape {}", t.shape());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns = meshgrid(tensors);
  for (Tensor& c : columns) c = c.reshape(-1);
  return stack(columns, 1);
}
Tensor cartesian_prod(std::initializer_list<Tensor> tensors) {
  return cartesian_prod(as_span(tensors));
}

namespace {

/// Returns the number of combinations of `r` of `n` elements; nullopt if it exceeds 2^63 - 1.
std::optional<std::int64_t> count_combinations(std::int64_t n, std::int64_t r,
                                               bool with_replacement) {
  __extension__ using Int128 = __int128;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (n == 0) return 0;
  const Int128 of = with_replacement ? Int128{n} + r - 1 : Int128{n};
  if (r > of) return 0;
  const Int128 chosen = std::min(Int128{r}, of - r);
  Int128 count = 1;
  for (Int128 i = 1; i <= chosen; ++i) {
    count = count * (of - chosen + i) / i;  // exact: a binomial coefficient
    if (count > kMax) return std::nullopt;
  }
  return static_cast<std::int64_t>(count);
}

/// Writes the positions of the elements of all combinations, by counting in lexicographic order.
void write_combinations(std::int64_t* to, std::int64_t rows, std::int64_t n, std::int64_t r,
                        bool with_replacement) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(r));
  const auto restart = [&](std::size_t from, std::int64_t value) {
    for (std::size_t i = from; i < at.size(); ++i, value += !with_replacement) at[i] = value;
  };
  const auto limit = [&](std::size_t i) {
    return with_replacement ? n : n - static_cast<std::int64_t>(at.size() - 1 - i);
  };
  restart(0, 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    to = std::copy(at.begin(), at.end(), to);
    std::size_t i = at.size();
    while (i > 0 && at[i - 1] + 1 >= limit(i - 1)) --i;
    if (i > 0) restart(i - 1, at[i - 1] + 1);
  }
}

}  // namespace

Tensor combinations(const Tensor& x, IntArg r, bool with_replacement) {
  if (x.dim() != 1)
    fail<ShapeError>("combinations: Expect a 1D vector, but got shape {}", x.shape());
  if (r < 0) fail<ValueError>("combinations: Expect a non-negative number, but got {}", r);
  if (r == 0) return empty({0}, {.dtype = x.dtype(), .device = x.device()});
  const std::int64_t n = x.numel(), count = r;
  const auto rows = count_combinations(n, count, with_replacement);
  if (!rows)
    fail<ValueError>("combinations: too many combinations: got r={} for {} elements", count, n);
  const Tensor index = empty({*rows, count}, {.dtype = DType::i64});
  if (*rows > 0)
    write_combinations(index.mutable_data_ptr<std::int64_t>(), *rows, n, count, with_replacement);
  return x.index_select(0, index.reshape(-1).to(x.device())).reshape({*rows, count});
}

}  // namespace taper
