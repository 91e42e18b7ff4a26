#include "ops/pointwise/maximum.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/pointwise/extremes.h"

namespace taper {
namespace {

/// Where `lost` nothing, of equals half, else (also next to NaN) everything.
Tensor share(const Tensor& g, const Tensor& equal, const Tensor& lost) {
  return where(lost, 0, where(equal, g / 2, g));
}
template <class O> void share_greater(BackwardContext<O>& b) {
  const Tensor x = b.template input<0>(), y = b.template input<1>(), equal = x == y;
  if (b.needs_input_grad(0)) b[0] = share(b.grad(), equal, x < y);
  if (b.needs_input_grad(1)) b[1] = share(b.grad(), equal, x > y);
}
template <class O> void share_lesser(BackwardContext<O>& b) {
  const Tensor x = b.template input<0>(), y = b.template input<1>(), equal = x == y;
  if (b.needs_input_grad(0)) b[0] = share(b.grad(), equal, x > y);
  if (b.needs_input_grad(1)) b[1] = share(b.grad(), equal, x < y);
}
void greater_of(const KernelArgs& k) {
  kernel::map<2>(k, [](auto a, auto b) { return kernel::greater(a, b); });
}
void lesser_of(const KernelArgs& k) {
  kernel::map<2>(k, [](auto a, auto b) { return kernel::lesser(a, b); });
}

}  // namespace

void Maximum::backward(BackwardContext<Maximum>& b) const { share_greater(b); }
void Minimum::backward(BackwardContext<Minimum>& b) const { share_lesser(b); }
void ClampMinTensor::backward(BackwardContext<ClampMinTensor>& b) const { share_greater(b); }
void ClampMaxTensor::backward(BackwardContext<ClampMaxTensor>& b) const { share_lesser(b); }

template <> void reference(const Maximum&, const KernelArgs& k) { greater_of(k); }
template <> void reference(const Minimum&, const KernelArgs& k) { lesser_of(k); }
template <> void reference(const ClampMinTensor&, const KernelArgs& k) { greater_of(k); }
template <> void reference(const ClampMaxTensor&, const KernelArgs& k) { lesser_of(k); }

TAPER_DEFINE_OP(maximum, Maximum);
TAPER_DEFINE_OP(minimum, Minimum);
TAPER_DEFINE_OP(clamp_min_tensor, ClampMinTensor);
TAPER_DEFINE_OP(clamp_max_tensor, ClampMaxTensor);

TAPER_BINARY_METHODS(clamp_min, ClampMinTensor, Tensor)
TAPER_BINARY_METHODS(clamp_max, ClampMaxTensor, Tensor)
Tensor maximum(const Tensor& x, const Tensor& other) { return run(Maximum{}, x, other); }
Tensor minimum(const Tensor& x, const Tensor& other) { return run(Minimum{}, x, other); }
namespace ops {
Tensor PointwiseMethods::maximum(const Tensor& other) const {
  return run(Maximum{}, self_of(this), other);
}
Tensor PointwiseMethods::minimum(const Tensor& other) const {
  return run(Minimum{}, self_of(this), other);
}
}  // namespace ops

}  // namespace taper
