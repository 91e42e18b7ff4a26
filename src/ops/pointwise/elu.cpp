#include "ops/pointwise/elu.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

void Elu::infer(Infer& i) const {
  check_dtype(i, is_floating_point(i.common), "a floating-point tensor");
  i.give_pointwise();
}
void Elu::backward(BackwardContext<Elu>& b) const {
  b[0] = run(EluBackward{alpha, scale, input_scale}, b.grad(), b.input<0>());
}
void EluBackward::backward(BackwardContext<EluBackward>& b) const {
  const Tensor x = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), x);
  if (b.needs_input_grad(1)) {
    const EluSlopes s = EluSlopes::of(*this);
    const Tensor bent = (x * s.within).exp() * (s.below * s.within * s.within);
    b[1] = b.grad() * b.input<0>() * bent.masked_fill(x >= 0, 0);  // as PyTorch at 0
  }
}

template <> void reference(const Elu& o, const KernelArgs& k) {
  const EluSlopes s = EluSlopes::of(o);
  kernel::map<1>(k, [s](auto v) {
    const double x = static_cast<double>(v);
    return x > 0 ? x * s.above : std::expm1(x * s.within) * s.below;
  });
}
template <> void reference(const EluBackward& o, const KernelArgs& k) {
  const EluSlopes s = EluSlopes::of(o);
  kernel::map<2>(k, [s](auto grad, auto v) {
    const double g = static_cast<double>(grad), x = static_cast<double>(v);
    return x <= 0 ? g * s.within * s.below * std::exp(x * s.within) : g * s.above;
  });
}

TAPER_DEFINE_OP(elu, Elu);
TAPER_DEFINE_OP(elu_backward, EluBackward);

namespace {
constexpr double kSeluAlpha = 1.6732632423543772848170429916717,
                 kSeluScale = 1.0507009873554804934193349852946;
}

Tensor elu(const Tensor& x, const Scalar& alpha) { return run(Elu{.alpha = alpha}, x); }
const Tensor& elu_(const Tensor& x, const Scalar& alpha) {
  return run_inplace(Elu{.alpha = alpha}, x);
}
Tensor selu(const Tensor& x) { return run(Elu{.alpha = kSeluAlpha, .scale = kSeluScale}, x); }
const Tensor& selu_(const Tensor& x) {
  return run_inplace(Elu{.alpha = kSeluAlpha, .scale = kSeluScale}, x);
}

}  // namespace taper
