#include "ops/pointwise/where.h"

#include "ops/kernel/reference.h"

namespace taper {

void Where::infer(Infer& i) const {
  if (i.dtype(0) != DType::bool_)
    i.fail<DTypeError>(
        "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
        i.dtype(0));
  i.give_pointwise();
}
void Where::backward(BackwardContext<Where>& b) const {
  const Tensor condition = b.input<0>();
  if (b.needs_input_grad(1)) b[1] = where(condition, b.grad(), 0);
  if (b.needs_input_grad(2)) b[2] = where(condition, 0, b.grad());
}

template <> void reference(const Where&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto condition, auto a, auto b) { return condition != 0 ? a : b; });
}

TAPER_DEFINE_OP(where, Where);

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& other) {
  return run(Where{}, condition, x, other);
}
Tensor where(const Tensor& condition, const Tensor& x, const Scalar& other) {
  return run(Where{}, condition, x, other);
}
Tensor where(const Tensor& condition, const Scalar& x, const Tensor& other) {
  return run(Where{}, condition, x, other);
}
Tensor where(const Tensor& condition, const Scalar& x, const Scalar& other) {
  return run(Where{}, condition, x, other);
}
namespace ops {
Tensor PointwiseMethods::where(const Tensor& condition, const Tensor& other) const {
  return run(Where{}, condition, self_of(this), other);
}
Tensor PointwiseMethods::where(const Tensor& condition, const Scalar& other) const {
  return run(Where{}, condition, self_of(this), other);
}
}  // namespace ops

}  // namespace taper
