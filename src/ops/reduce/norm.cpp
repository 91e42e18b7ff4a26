#include "ops/reduce/norm.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Throws ValueError if a reduced dimension is empty and the norm of an empty input is undefined,
/// which it is for negative orders and infinity.
void check_not_empty(const ShapeInference& i, const VectorNorm& o, reduce::Mask mask) {
  const double p = o.ord.to_double();
  if (p >= 0 && !std::isinf(p)) return;
  const Shape& shape = i.shape(0);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == 0 && reduce::in_mask(mask, d))
      i.fail<ValueError>(
          "cannot compute the {} norm on the dimension {} because this dimension is empty and the "
          "operation does not have an identity (shape {})",
          o.ord, d, shape);
}

}  // namespace

void VectorNorm::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  const DType from = i.dtype(0), to = dtype.value_or(from);
  if (!is_floating_point(to)) i.fail<DTypeError>("dtype should be floating point, but got {}", to);
  if (promote_types(from, to) != to)
    i.fail<DTypeError>(
        "the dtype of the input ({}) should be convertible without narrowing to the specified "
        "dtype ({})",
        from, to);
  check_not_empty(i, *this, mask);
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), to);
}

void VectorNorm::backward(BackwardContext<VectorNorm>& b) const {
  const double p = ord.to_double();
  if (p == 0) return;  // a count has zero gradient
  const Tensor x = dtype ? b.input<0>().to(*dtype) : b.input<0>();
  const Shape& shape = x.shape();
  const auto restore = [&](const Tensor& t) {
    return reduce::restore_dims(t, shape, dim, keepdim, op.function());
  };
  const Tensor g = restore(b.grad()), norm = restore(b.output<0>());
  if (p == 1) {
    b[0] = g * x.sign();
    return;
  }
  if (std::isinf(p)) {
    const Tensor size = x.abs(), is_max = (size == norm).logical_or(size.isnan());
    const Tensor num_max = is_max.sum(dim.value_or(Dims{}), true);
    b[0] = x.sign() * (g / num_max * is_max);
    return;
  }
  // As in PyTorch, a norm of 0 has the gradient 0, and 0 / 0 makes the second derivative NaN for
  // order 2 and below 1. For other orders it is finite: the norm is replaced before the division.
  const Tensor is_zero = norm == 0, divisor = p == 2 || p < 1 ? norm : norm.masked_fill(is_zero, 1);
  if (p == 2) {
    b[0] = g * where(is_zero, 0, x / divisor);
    return;
  }
  // Powers of the quotients of elements and norm are in range where those of the elements are not.
  Tensor quotient = x.abs() / divisor;
  if (p < 2) quotient = quotient.masked_fill(x == 0, 1);  // derivatives of powers of 0 are infinite
  b[0] = g.masked_fill(is_zero, 0) * (x.sign() * quotient.pow(p - 1));
}

template <> void reference_kernel(const VectorNorm& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  const double p = o.ord.to_double();
  const auto reduce_and_store = [&](double start, auto&& step, auto&& finish) {
    const auto totals = reduce::fold_reference<double>(in, mask, start, step);
    reduce::store_results(out, [&](std::size_t i) { return finish(totals[i]); });
  };
  const auto same = [](double t) { return t; };
  if (p == 0)
    reduce_and_store(
        0.0, [](double& t, double x) { t += x != 0 ? 1 : 0; }, same);
  else if (p == INFINITY)
    reduce_and_store(
        0.0, [](double& t, double x) { t = std::isnan(t) || std::abs(x) <= t ? t : std::abs(x); },
        same);
  else if (p == -INFINITY)
    reduce_and_store(
        INFINITY,
        [](double& t, double x) { t = std::isnan(t) || std::abs(x) >= t ? t : std::abs(x); }, same);
  else if (p == 1)
    reduce_and_store(
        0.0, [](double& t, double x) { t += std::abs(x); }, same);
  else if (p == 2)
    reduce_and_store(
        0.0, [](double& t, double x) { t += x * x; }, [](double t) { return std::sqrt(t); });
  else
    reduce_and_store(
        0.0, [p](double& t, double x) { t += std::pow(std::abs(x), p); },
        [p](double t) { return std::pow(t, 1 / p); });
}

template <> bool cpu_kernel(const VectorNorm& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  const double p = o.ord.to_double();
  // A wider result dtype requests accumulation in that dtype.
  if ((p != 1 && p != 2 && p != INFINITY) || out.dtype != in.dtype) return false;
  const auto fold = p == 1   ? reduce::Fold::sum_abs
                    : p == 2 ? reduce::Fold::sum_squares
                             : reduce::Fold::max_abs;
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  reduce::Results<> totals(out.numel);
  if (!reduce::fold(fold, in, mask, nullptr, totals.data())) return false;
  reduce::store_results(out,
                        [&](std::size_t i) { return p == 2 ? std::sqrt(totals[i]) : totals[i]; });
  return true;
}

TAPER_DEFINE_OP(linalg_vector_norm, VectorNorm);

Tensor norm(const Tensor& x, const Scalar& p, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  return run(VectorNorm{p, dims, keepdim, dtype}, x);
}
Tensor linalg::vector_norm(const Tensor& x, const Scalar& ord, const Dims& dims, bool keepdim,
                           std::optional<DType> dtype) {
  return norm(x, ord, dims, keepdim, dtype);
}
Tensor ops::ReduceMethods::norm(const Scalar& p, const Dims& dims, bool keepdim,
                                std::optional<DType> dtype) const {
  return taper::norm(self_of(this), p, dims, keepdim, dtype);
}

}  // namespace taper
