#include "ops/pointwise/hardswish.h"

#include <algorithm>

#include "ops/kernel/reference.h"

namespace taper {

void Hardswish::infer(Infer& i) const {
  check_dtype(i, is_floating_point(i.common), "a floating-point tensor");
  i.give_pointwise();
}
void Hardswish::backward(BackwardContext<Hardswish>& b) const {
  b[0] = run(HardswishBackward{}, b.grad(), b.input<0>());
}
void HardswishBackward::backward(BackwardContext<HardswishBackward>& b) const {
  const Tensor x = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(HardswishBackward{}, b.grad(), x);
  if (b.needs_input_grad(1)) {
    const Tensor bent = (x > -3).logical_and(x < 3);
    b[1] = b.grad() * b.input<0>() * bent.to(x.dtype()).div(3);
  }
}

template <> void reference(const Hardswish&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto v) {
    const double x = static_cast<double>(v);
    return x * std::clamp(x + 3, 0.0, 6.0) / 6;
  });
}
template <> void reference(const HardswishBackward&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto grad, auto v) {
    const double g = static_cast<double>(grad), x = static_cast<double>(v);
    return x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5) : g;
  });
}

TAPER_DEFINE_OP(hardswish, Hardswish);
TAPER_DEFINE_OP(hardswish_backward, HardswishBackward);

Tensor hardswish(const Tensor& x) { return run(Hardswish{}, x); }
const Tensor& hardswish_(const Tensor& x) { return run_inplace(Hardswish{}, x); }

}  // namespace taper
