#include "ops/pointwise/ternary.h"

#include "ops/forms.h"
#include "ops/kernel/reference.h"
#include "ops/pointwise/elements.h"
#include "ops/promote.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

void check_same_dtypes(ShapeInference& i, int count) {
  for (int n = 0; n < count; ++n)
    if (i.dtype(n) != i.dtype(0))
      i.fail<DTypeError>("expected dtype {} for every tensor but got dtype {}", i.dtype(0),
                         i.dtype(n));
}
/// Returns the linear interpolation between `a` and `b`, which is exact at weights 0 and 1.
double interpolate(double a, double b, double weight) {
  return weight < 0.5 ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

}  // namespace

void Addcmul::infer(ShapeInference& i) const {
  i.check_range(value, opmath_dtype(i.common));
  i.set_broadcast_output();
}
void Addcdiv::dtype_error(const ShapeInference& i) {
  i.fail<DTypeError>(
      "Integer division with addcdiv is not supported: got {} and {}, expected a floating-point "
      "tensor; divide with div(..., \"trunc\")",
      i.dtype(1), i.dtype(2));
}
void Addcdiv::infer(ShapeInference& i) const {
  if (!is_floating_point(i.dtype(1)) && !is_floating_point(i.dtype(2))) dtype_error(i);
  i.check_range(value, opmath_dtype(i.common));
  i.set_broadcast_output();
}
void Lerp::infer(ShapeInference& i) const {
  check_same_dtypes(i, 2);
  i.check_range(weight, opmath_dtype(i.common));
  i.set_broadcast_output();
}
void LerpTensor::infer(ShapeInference& i) const {
  // A weight without dimensions is promoted, like a number.
  check_same_dtypes(i, i.rank(2) == 0 ? 2 : 3);
  i.set_broadcast_output();
}

void Addcmul::backward(BackwardContext<Addcmul>& b) const {
  const Tensor scaled = scale_gradient(b.grad(), value);
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = scaled * b.input<2>();
  if (b.needs_input_grad(2)) b[2] = scaled * b.input<1>();
}
void Addcdiv::backward(BackwardContext<Addcdiv>& b) const {
  const Tensor scaled = scale_gradient(b.grad(), value), divisor = b.input<2>();
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = scaled / divisor;
  if (b.needs_input_grad(2)) b[2] = -(scaled * b.input<1>() / (divisor * divisor));
}
void Lerp::backward(BackwardContext<Lerp>& b) const {
  const double w = weight.to_double();
  if (b.needs_input_grad(0)) b[0] = b.grad() * (1 - w);
  if (b.needs_input_grad(1)) b[1] = b.grad() * w;
}
void LerpTensor::backward(BackwardContext<LerpTensor>& b) const {
  const Tensor w = b.input<2>();
  if (b.needs_input_grad(0)) b[0] = b.grad() * (1 - w);
  if (b.needs_input_grad(1)) b[1] = b.grad() * w;
  if (b.needs_input_grad(2)) b[2] = b.grad() * (b.input<1>() - b.input<0>());
}
void Where::infer(ShapeInference& i) const {
  if (i.dtype(0) != DType::bool_)
    i.fail<DTypeError>(
        "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
        i.dtype(0));
  // PyTorch converts a number to a tensor of one element, where a 16-bit float becomes infinite.
  for (const OpInput& in : i.ins)
    if (in.scalar && !is_reduced_floating_point(i.common)) i.check_range(*in.scalar, i.common);
  i.set_broadcast_output();
}
void Where::backward(BackwardContext<Where>& b) const {
  const Tensor condition = b.input<0>();
  if (b.needs_input_grad(1)) b[1] = where(condition, b.grad(), 0);
  if (b.needs_input_grad(2)) b[2] = where(condition, 0, b.grad());
}

template <> void reference_kernel(const Addcmul& o, const KernelArgs& k) {
  kernel::map<3>(k, [&o]<class T>(T x, T a, T b) {
    return kernel::plus(x, kernel::times(kernel::times(kernel::scalar_to<T>(o.value), a), b));
  });
}
template <> void reference_kernel(const Addcdiv& o, const KernelArgs& k) {
  const double value = o.value.to_double();
  kernel::map<3>(k, [value](auto x, auto a, auto b) {
    return static_cast<double>(x) + value * static_cast<double>(a) / static_cast<double>(b);
  });
}
template <> void reference_kernel(const Lerp& o, const KernelArgs& k) {
  const double weight = o.weight.to_double();
  kernel::map<2>(k, [weight](auto a, auto b) {
    return interpolate(static_cast<double>(a), static_cast<double>(b), weight);
  });
}
template <> void reference_kernel(const LerpTensor&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto a, auto b, auto weight) {
    return interpolate(static_cast<double>(a), static_cast<double>(b), static_cast<double>(weight));
  });
}
template <> void reference_kernel(const Where&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto condition, auto a, auto b) { return condition != 0 ? a : b; });
}

TAPER_DEFINE_OP(addcmul, Addcmul);
TAPER_DEFINE_OP(addcdiv, Addcdiv);
TAPER_DEFINE_OP(lerp, Lerp);
TAPER_DEFINE_OP(lerp_tensor, LerpTensor);
TAPER_DEFINE_OP(where, Where);

TAPER_ALL_FORMS(Pointwise, addcmul,
                (const Tensor& tensor1, const Tensor& tensor2, const Scalar& value), Addcmul{value},
                tensor1, tensor2)
TAPER_ALL_FORMS(Pointwise, addcdiv,
                (const Tensor& tensor1, const Tensor& tensor2, const Scalar& value), Addcdiv{value},
                tensor1, tensor2)
TAPER_ALL_FORMS(Pointwise, lerp, (const Tensor& end, const Scalar& weight), Lerp{weight}, end)
TAPER_ALL_FORMS(Pointwise, lerp, (const Tensor& end, const Tensor& weight), LerpTensor{}, end,
                weight)

namespace {

template <class A, class B> Tensor run_where(const Tensor& condition, const A& x, const B& other) {
  if (condition.dtype() != DType::u8) [[likely]]
    return run(Where{}, condition, x, other);
  warn(
      "where received a uint8 condition tensor. This behavior is deprecated and will be removed in "
      "a future version of PyTorch. Use a boolean condition instead.");
  return run(Where{}, condition.to(DType::bool_), x, other);
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& other) {
  return run_where(condition, x, other);
}
Tensor where(const Tensor& condition, const Tensor& x, const Scalar& other) {
  return run_where(condition, x, other);
}
Tensor where(const Tensor& condition, const Scalar& x, const Tensor& other) {
  return run_where(condition, x, other);
}
Tensor where(const Tensor& condition, const Scalar& x, const Scalar& other) {
  return run_where(condition, x, other);
}
Tensor ops::PointwiseMethods::where(const Tensor& condition, const Tensor& other) const {
  return run_where(condition, self_of(this), other);
}
Tensor ops::PointwiseMethods::where(const Tensor& condition, const Scalar& other) const {
  return run_where(condition, self_of(this), other);
}

}  // namespace taper
