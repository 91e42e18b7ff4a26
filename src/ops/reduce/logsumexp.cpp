#include "ops/reduce/logsumexp.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

void LogSumExp::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.name);
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), i.common);
}

void LogSumExp::backward(BackwardContext<LogSumExp>& b) const {
  const Tensor x = b.input<0>();
  const auto whole = [&](const Tensor& t) {
    return reduce::with_dims(t, x.shape(), dim, keepdim, op.name);
  };
  b[0] = whole(b.grad()) * (x - whole(b.output<0>())).exp();
}

namespace {

/// Returns log(total * e^top). An infinite or NaN `top` is the result regardless of `total`.
double finished(double total, double top) {
  return std::isfinite(top) ? std::log(total) + top : top;
}

}  // namespace

template <> void reference_kernel(const LogSumExp& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.name);
  struct State {
    double top = -INFINITY, total = 0;
  };
  const auto states = reduce::fold_reference<double>(in, mask, State{}, [](State& s, double x) {
    if (std::isnan(s.top)) return;
    // Rescale the partial sum to the new maximum.
    if (!(x <= s.top)) s.total *= std::exp(s.top - x), s.top = x;
    if (x > -INFINITY) s.total += std::exp(x - s.top);
  });
  reduce::store_results(k.out[0],
                        [&](std::size_t i) { return finished(states[i].total, states[i].top); });
}

template <> bool cpu_kernel(const LogSumExp& o, const KernelArgs& k) {
  const View& in = k.in[0];
  if (k.out[0].dtype != in.dtype) return false;
  const reduce::Mask mask = reduce::mask_of(o.dim, in.shape->size(), o.op.name);
  reduce::Results top(k.out[0].numel), total(k.out[0].numel);
  if (!reduce::fold(reduce::Fold::max, in, mask, nullptr, top.data())) return false;
  reduce::fold(reduce::Fold::sum_exp, in, mask, top.data(), total.data());
  reduce::store_results(k.out[0], [&](std::size_t i) { return finished(total[i], top[i]); });
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
