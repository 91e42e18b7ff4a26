#include "ops/reduce/var.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/add_to.h"
#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"
#include "taper/core/tensor.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

/// Returns the divisor of the sum of squared deviations: N - correction, at least 0.
double divisor(const Shape& shape, reduce::Mask mask, const Scalar& correction) {
  return std::max(static_cast<double>(reduce::reduced_numel(shape, mask)) - correction.to_double(),
                  0.0);
}

/// Returns the gradient of a variance, expanded to the input.
Tensor var_gradient(const Tensor& grad, const Tensor& x, const Dims& dims, double divisor) {
  const Tensor deviations = x - x.mean(dims, true);
  if (divisor > 0) return grad * (2 / divisor) * deviations;
  // The divisor is 0: PyTorch's gradient is infinite for deviations from the mean and NaN at the
  // mean.
  return grad * (deviations.abs() * std::numeric_limits<double>::infinity());
}

}  // namespace

template <bool Root, bool WithMean> void Variance<Root, WithMean>::infer(ShapeInference& i) const {
  const Shape& shape = i.shape(0);
  const reduce::Mask mask = reduce::mask_of(dim, shape.size(), op.function());
  const Shape result = reduce::result_shape(shape, mask, keepdim);
  if (result.numel() > 0 && divisor(shape, mask, correction) <= 0)
    warn(std::string(op.function()) +
         "(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
         "factor (input numel divided by output numel).");
  for (int n = 0; n < (WithMean ? 2 : 1); ++n) i.set_output(result, i.dtype(0));
}

template <bool Root, bool WithMean>
void Variance<Root, WithMean>::backward(BackwardContext<Variance>& b) const {
  const Tensor x = b.template input<0>();
  const Shape& shape = x.shape();
  const reduce::Mask mask = reduce::mask_of(dim, shape.size(), op.function());
  const auto restore = [&](const Tensor& t) {
    return reduce::restore_dims(t, shape, dim, keepdim, op.function());
  };
  if (b.has_grad(0)) {
    const double count = divisor(shape, mask, correction);
    if constexpr (Root) {
      // A root of 0 has the gradient 0, and is replaced before the division, whose gradient would
      // be 0 / 0. The quotients of deviations and root are in range.
      const Tensor root = b.template output<0>(), is_zero = root == 0;
      const Tensor grad = b.grad(0).masked_fill(is_zero, 0), safe = root.masked_fill(is_zero, 1);
      if (count > 0)
        b[0] = (x - x.mean(dim.value_or(Dims{}), true)) / restore(safe) * restore(grad / count);
      else
        b[0] = var_gradient(restore(grad / (safe * 2)), x, dim.value_or(Dims{}), count);
    } else {
      b[0] = var_gradient(restore(b.grad(0)), x, dim.value_or(Dims{}), count);
    }
  }
  if (WithMean && b.has_grad(1)) {
    const auto n = static_cast<double>(reduce::reduced_numel(shape, mask));
    const Tensor mean_gradient = (restore(b.grad(1)) * (1 / n)).expand(shape);
    add_to(b[0], mean_gradient);
  }
}

namespace {

struct Moments {
  double mean = 0, squares = 0;
};

template <bool Root, bool WithMean, class F>
void store_variance(const KernelArgs& k, double divisor, F&& moments) {
  reduce::store_results(k.out[0], [&](std::size_t i) {
    const double var = moments(i).squares / divisor;
    return Root ? std::sqrt(var) : var;
  });
  if constexpr (WithMean)
    reduce::store_results(k.out[1], [&](std::size_t i) { return moments(i).mean; });
}

/// View of an input restricted to the dimensions that are not reduced.
struct UnreducedView {
  Shape sizes, strides;
  View view;

  UnreducedView(const View& in, reduce::Mask mask) : view(in) {
    for (std::size_t d = 0; d < in.shape->size(); ++d)
      if (!reduce::in_mask(mask, d))
        sizes.push_back((*in.shape)[d]), strides.push_back((*in.strides)[d]);
    view.shape = &sizes, view.strides = &strides;
  }
  UnreducedView(const UnreducedView&) = delete;
  UnreducedView& operator=(const UnreducedView&) = delete;
};

/// Copies the first of the elements that are reduced into each result. Means are computed relative
/// to it, so that the variance of equal elements is exactly 0.
void first_elements(const View& in, reduce::Mask mask, double* to) {
  if (in.numel == 0) return;
  const UnreducedView unreduced(in, mask);
  kernel::walk(unreduced.sizes, std::array<const View*, 1>{&unreduced.view},
               [&](const std::array<std::int64_t, 1>& at) {
                 *to++ = kernel::load<double>(in.data + at[0], in.dtype);
               });
}

/// Computes the outputs in three passes: first elements, mean, and squared deviations.
template <bool Root, bool WithMean>
void variance_reference(const Variance<Root, WithMean>& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  const auto n = static_cast<double>(reduce::reduced_numel(*in.shape, mask));
  std::vector<double> center(static_cast<std::size_t>(k.out[0].numel));
  first_elements(in, mask, center.data());
  struct State {
    const double* center;  // center of this result
    double total;
  };
  const auto fold = [&](auto&& f) {
    std::vector<State> states(center.size());
    for (std::size_t i = 0; i < states.size(); ++i) states[i] = {&center[i], 0};
    reduce::fold_into<double>(in, mask, states,
                              [&](State& s, double x) { s.total += f(x - *s.center); });
    return states;
  };
  const auto deviations = fold([](double x) { return x; });
  for (std::size_t i = 0; i < center.size(); ++i) center[i] += deviations[i].total / n;
  const auto squares = fold([](double x) { return x * x; });
  store_variance<Root, WithMean>(k, divisor(*in.shape, mask, o.correction), [&](std::size_t i) {
    return Moments{center[i], squares[i].total};
  });
}

template <bool Root, bool WithMean>
bool variance_fast(const Variance<Root, WithMean>& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  const auto n = static_cast<double>(reduce::reduced_numel(*in.shape, mask));
  const auto results = static_cast<std::size_t>(k.out[0].numel);
  reduce::Results<> mean(k.out[0].numel), sum(k.out[0].numel);
  std::fill_n(mean.data(), results, 0.0);
  first_elements(in, mask, mean.data());
  if (!reduce::fold(reduce::Fold::sum_centered, in, mask, mean.data(), sum.data())) return false;
  for (std::size_t i = 0; i < results; ++i) mean[i] += sum[i] / n;
  reduce::fold(reduce::Fold::sum_squares, in, mask, mean.data(), sum.data());
  store_variance<Root, WithMean>(k, divisor(*in.shape, mask, o.correction), [&](std::size_t i) {
    return Moments{mean[i], sum[i]};
  });
  return true;
}

}  // namespace

#define TAPER_VARIANCE(name, O)                                                                    \
  template <> void reference_kernel(const O& o, const KernelArgs& k) { variance_reference(o, k); } \
  template <> bool cpu_kernel(const O& o, const KernelArgs& k) { return variance_fast(o, k); }     \
  TAPER_DEFINE_OP(name, O)

using Var = Variance<false, false>;
using Std = Variance<true, false>;
using VarMean = Variance<false, true>;
using StdMean = Variance<true, true>;
TAPER_VARIANCE(var, Var);
TAPER_VARIANCE(std, Std);
TAPER_VARIANCE(var_mean, VarMean);
TAPER_VARIANCE(std_mean, StdMean);

Tensor var(const Tensor& x, const Dims& dims, const Scalar& correction, bool keepdim) {
  return run(Var{dims, correction, keepdim}, x);
}
Tensor std(const Tensor& x, const Dims& dims, const Scalar& correction, bool keepdim) {
  return run(Std{dims, correction, keepdim}, x);
}
std::pair<Tensor, Tensor> var_mean(const Tensor& x, const Dims& dims, const Scalar& correction,
                                   bool keepdim) {
  return run_pair(VarMean{dims, correction, keepdim}, x);
}
std::pair<Tensor, Tensor> std_mean(const Tensor& x, const Dims& dims, const Scalar& correction,
                                   bool keepdim) {
  return run_pair(StdMean{dims, correction, keepdim}, x);
}

namespace ops {
Tensor ReduceMethods::var(const Dims& dims, const Scalar& correction, bool keepdim) const {
  return taper::var(self_of(this), dims, correction, keepdim);
}
Tensor ReduceMethods::std(const Dims& dims, const Scalar& correction, bool keepdim) const {
  return taper::std(self_of(this), dims, correction, keepdim);
}
}  // namespace ops

}  // namespace taper
