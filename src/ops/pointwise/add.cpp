#include "ops/pointwise/add.h"

#include "core/number_range.h"
#include "ops/kernel/reference.h"
#include "ops/pointwise/elements.h"

namespace taper {
namespace {

void check_alpha(ShapeInference& i, const Scalar& alpha) {
  if (alpha.kind() == Scalar::Kind::boolean && i.common != DType::bool_)
    i.fail<DTypeError>("Boolean alpha only supported for Boolean results: got {} for {}", alpha,
                       i.common);
  if (alpha.is_floating() && !is_floating_point(i.common))
    i.fail<DTypeError>(
        "For integral input tensors, argument alpha must not be a floating point number: "
        "got {}",
        alpha);
}
/// As check_alpha, for a product that is subtracted: it is the negated factor that PyTorch converts
/// to the dtype of the elements.
void check_subtracted_alpha(ShapeInference& i, const Scalar& alpha) {
  check_alpha(i, alpha);
  const Scalar negated =
      alpha.is_floating()
          ? Scalar(-alpha.to_double())
          : Scalar(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(alpha.to_int())));
  if (!is_in_range(negated, i.common)) reject_out_of_range(alpha, i.common, i.op.function());
}
void check_no_bool(const ShapeInference& i) {
  if (i.dtype(0) == DType::bool_ || i.dtype(1) == DType::bool_)
    i.fail<NotImplementedError>(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead.");
}
Tensor negate_and_scale(const Tensor& g, const Scalar& alpha) {
  return alpha == Scalar(1) ? g.neg() : g.mul(-alpha.to_double());
}

}  // namespace

void subtraction_error(const ShapeInference& i) {
  if (i.common != DType::bool_) i.reject_dtype(i.common);
  i.fail<NotImplementedError>(
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.");
}

void Add::infer(ShapeInference& i) const {
  check_alpha(i, alpha);
  i.check_range(alpha, i.common);
  i.set_broadcast_output();
}
void Sub::infer(ShapeInference& i) const {
  check_no_bool(i);
  check_subtracted_alpha(i, alpha);
  i.set_broadcast_output();
}
void Rsub::infer(ShapeInference& i) const {
  check_no_bool(i);
  check_subtracted_alpha(i, alpha);
  i.set_broadcast_output();
}

void Add::backward(BackwardContext<Add>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = scale_gradient(b.grad(), alpha);
}
void Sub::backward(BackwardContext<Sub>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = negate_and_scale(b.grad(), alpha);
}
void Rsub::backward(BackwardContext<Rsub>& b) const {
  if (b.needs_input_grad(0)) b[0] = negate_and_scale(b.grad(), alpha);
  if (b.needs_input_grad(1)) b[1] = b.grad();
}

template <> void reference_kernel(const Add& o, const KernelArgs& k) {
  kernel::map<2>(k, [&]<class T>(T a, T b) {
    return kernel::plus(a, kernel::times(kernel::scalar_to<T>(o.alpha), b));
  });
}
template <> void reference_kernel(const Sub& o, const KernelArgs& k) {
  kernel::map<2>(k, [&]<class T>(T a, T b) {
    return kernel::minus(a, kernel::times(kernel::scalar_to<T>(o.alpha), b));
  });
}
template <> void reference_kernel(const Rsub& o, const KernelArgs& k) {
  kernel::map<2>(k, [&]<class T>(T a, T b) {
    return kernel::minus(b, kernel::times(kernel::scalar_to<T>(o.alpha), a));
  });
}

TAPER_DEFINE_OP(add, Add);
TAPER_DEFINE_OP(sub, Sub);
TAPER_DEFINE_OP(rsub, Rsub);

Tensor operator+(const Tensor& a, const Tensor& b) { return run(Add{}, a, b); }
Tensor operator+(const Tensor& a, const Scalar& b) { return run(Add{}, a, b); }
Tensor operator+(const Scalar& a, const Tensor& b) { return run(Add{}, b, a); }
Tensor operator-(const Tensor& a, const Tensor& b) { return run(Sub{}, a, b); }
Tensor operator-(const Tensor& a, const Scalar& b) { return run(Sub{}, a, b); }
Tensor operator-(const Scalar& a, const Tensor& b) { return run(Rsub{}, b, a); }
const Tensor& operator+=(const Tensor& a, const Tensor& b) { return run_inplace(Add{}, a, b); }
const Tensor& operator+=(const Tensor& a, const Scalar& b) { return run_inplace(Add{}, a, b); }
const Tensor& operator-=(const Tensor& a, const Tensor& b) { return run_inplace(Sub{}, a, b); }
const Tensor& operator-=(const Tensor& a, const Scalar& b) { return run_inplace(Sub{}, a, b); }

TAPER_ALL_FORMS(Pointwise, add, (const Tensor& other, const Scalar& alpha), Add{alpha}, other)
TAPER_ALL_FORMS(Pointwise, add, (const Scalar& other, const Scalar& alpha), Add{alpha}, other)
TAPER_ALL_FORMS(Pointwise, sub, (const Tensor& other, const Scalar& alpha), Sub{alpha}, other)
TAPER_ALL_FORMS(Pointwise, sub, (const Scalar& other, const Scalar& alpha), Sub{alpha}, other)
TAPER_FUNCTION(rsub, (const Tensor& other, const Scalar& alpha), Rsub{alpha}, other)
TAPER_FUNCTION(rsub, (const Scalar& other, const Scalar& alpha), Rsub{alpha}, other)

}  // namespace taper
