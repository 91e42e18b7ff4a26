#include "ops/pointwise/sigmoid.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

void Sigmoid::backward(BackwardContext<Sigmoid>& b) const {
  b[0] = run(SigmoidBackward{}, b.grad(), b.output<0>());
}
void SigmoidBackward::backward(BackwardContext<SigmoidBackward>& b) const {
  const Tensor y = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(SigmoidBackward{}, b.grad(), y);
  if (b.needs_input_grad(1)) b[1] = b.grad() * b.input<0>() * (1 - 2 * y);
}
void Tanh::backward(BackwardContext<Tanh>& b) const {
  b[0] = run(TanhBackward{}, b.grad(), b.output<0>());
}
void TanhBackward::backward(BackwardContext<TanhBackward>& b) const {
  const Tensor y = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(TanhBackward{}, b.grad(), y);
  if (b.needs_input_grad(1)) b[1] = -2 * y * b.grad() * b.input<0>();
}

template <> void reference(const Sigmoid&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return 1 / (1 + std::exp(-static_cast<double>(x))); });
}
template <> void reference(const SigmoidBackward&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto g, auto y) { return g * y * (1 - y); });
}
template <> void reference(const Tanh&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::tanh(static_cast<double>(x)); });
}
template <> void reference(const TanhBackward&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto g, auto y) { return g * (1 - y * y); });
}

TAPER_DEFINE_OP(sigmoid, Sigmoid);
TAPER_DEFINE_OP(sigmoid_backward, SigmoidBackward);
TAPER_DEFINE_OP(tanh, Tanh);
TAPER_DEFINE_OP(tanh_backward, TanhBackward);

TAPER_UNARY_METHODS(sigmoid, Sigmoid)
TAPER_UNARY_METHODS(tanh, Tanh)

}  // namespace taper
