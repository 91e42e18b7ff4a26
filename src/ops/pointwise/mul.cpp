#include "ops/pointwise/mul.h"

#include "ops/kernel/reference.h"

namespace taper {

void Mul::backward(BackwardContext<Mul>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().mul(b.input<1>());
  if (b.needs_input_grad(1)) b[1] = b.grad().mul(b.input<0>());
}

template <> void reference(const Mul&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto a, auto b) { return kernel::times(a, b); });
}

TAPER_DEFINE_OP(mul, Mul);

TAPER_BINARY_METHODS(mul, Mul, Tensor)
TAPER_BINARY_METHODS(mul, Mul, Scalar)
Tensor operator*(const Tensor& a, const Tensor& b) { return run(Mul{}, a, b); }
Tensor operator*(const Tensor& a, const Scalar& b) { return run(Mul{}, a, b); }
Tensor operator*(const Scalar& a, const Tensor& b) { return run(Mul{}, b, a); }
const Tensor& operator*=(const Tensor& a, const Tensor& b) { return run_inplace(Mul{}, a, b); }
const Tensor& operator*=(const Tensor& a, const Scalar& b) { return run_inplace(Mul{}, a, b); }

}  // namespace taper
