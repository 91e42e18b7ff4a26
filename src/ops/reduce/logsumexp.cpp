#include "ops/reduce/logsumexp.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

void LogSumExp::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), i.common);
}

void LogSumExp::backward(BackwardContext<LogSumExp>& b) const {
  const Tensor x = b.input<0>();
  const auto restore = [&](const Tensor& t) {
    return reduce::restore_dims(t, x.shape(), dim, keepdim, op.function());
  };
  const Tensor result = restore(b.output<0>()), g = restore(b.grad());
  // The digits of the logarithm are lost in a result of large elements, so that the weights are
  // normalized, except those of infinite results, which would all be NaN.
  const Tensor weights = (x - result).exp();
  const Tensor total = weights.sum(dim.value_or(Dims{}), true).masked_fill(result.isinf(), 1);
  b[0] = weights * (g / total);
}

namespace {

/// Returns log(total * e^max_value). An infinite or NaN `max_value` is the result regardless of
/// `total`.
double log_scaled_sum(double total, double max_value) {
  return std::isfinite(max_value) ? std::log(total) + max_value : max_value;
}

}  // namespace

template <> void reference_kernel(const LogSumExp& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  struct State {
    double max_value = -INFINITY, total = 0;
  };
  const auto states = reduce::fold_reference<double>(in, mask, State{}, [](State& s, double x) {
    if (std::isnan(s.max_value)) return;
    // Rescale the partial sum to the new maximum.
    if (!(x <= s.max_value)) s.total *= std::exp(s.max_value - x), s.max_value = x;
    if (x > -INFINITY) s.total += std::exp(x - s.max_value);
  });
  reduce::store_results(k.out[0], [&](std::size_t i) {
    return log_scaled_sum(states[i].total, states[i].max_value);
  });
}

template <> bool cpu_kernel(const LogSumExp& o, const KernelArgs& k) {
  const View& in = k.in[0];
  if (k.out[0].dtype != in.dtype) return false;
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.function());
  reduce::Results<> max_value(k.out[0].numel), total(k.out[0].numel);
  if (!reduce::fold(reduce::Fold::max, in, mask, nullptr, max_value.data())) return false;
  reduce::fold(reduce::Fold::sum_exp, in, mask, max_value.data(), total.data());
  reduce::store_results(k.out[0],
                        [&](std::size_t i) { return log_scaled_sum(total[i], max_value[i]); });
  return true;
}

TAPER_DEFINE_OP(logsumexp, LogSumExp);

Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim) {
  return run(LogSumExp{dims, keepdim}, x);
}
Tensor ops::ReduceMethods::logsumexp(const Dims& dims, bool keepdim) const {
  return run(LogSumExp{dims, keepdim}, self_of(this));
}

}  // namespace taper
