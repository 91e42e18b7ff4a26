#include "ops/pointwise/add.h"

#include "ops/kernel/reference.h"

namespace taper {
namespace {

void check_alpha(Infer& i, const Scalar& alpha) {
  if (alpha.kind() == Scalar::Kind::boolean && i.common != DType::bool_)
    i.fail<DTypeError>("Boolean alpha only supported for Boolean results: got {} for {}", alpha,
                       i.common);
  if (alpha.is_floating() && !is_floating_point(i.common))
    i.fail<DTypeError>(
        "For integral input tensors, argument alpha must not be a floating point number: "
        "got {}",
        alpha);
}
void check_no_bool(Infer& i) {
  const bool a = i.dtype(0) == DType::bool_, b = i.dtype(1) == DType::bool_;
  if (a && b)
    i.fail<NotImplementedError>(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead.");
  if (a || b)
    i.fail<NotImplementedError>(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead.");
}
Tensor times(const Tensor& g, const Scalar& alpha) { return alpha == Scalar(1) ? g : g.mul(alpha); }
Tensor minus_times(const Tensor& g, const Scalar& alpha) {
  return alpha == Scalar(1) ? g.neg() : g.mul(-alpha.to_double());
}
template <class T> T number(const Scalar& s) {
  if constexpr (std::is_same_v<T, double>)
    return s.to_double();
  else
    return s.to_int();
}

}  // namespace

void Add::infer(Infer& i) const {
  check_alpha(i, alpha);
  i.give_pointwise();
}
void Sub::infer(Infer& i) const {
  check_no_bool(i);
  check_alpha(i, alpha);
  i.give_pointwise();
}
void Rsub::infer(Infer& i) const {
  check_no_bool(i);
  check_alpha(i, alpha);
  i.give_pointwise();
}

void Add::backward(BackwardContext<Add>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = times(b.grad(), alpha);
}
void Sub::backward(BackwardContext<Sub>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(1)) b[1] = minus_times(b.grad(), alpha);
}
void Rsub::backward(BackwardContext<Rsub>& b) const {
  if (b.needs_input_grad(0)) b[0] = minus_times(b.grad(), alpha);
  if (b.needs_input_grad(1)) b[1] = b.grad();
}

template <> void reference(const Add& o, const KernelArgs& k) {
  kernel::map<2>(
      k, [&]<class T>(T a, T b) { return kernel::plus(a, kernel::times(number<T>(o.alpha), b)); });
}
template <> void reference(const Sub& o, const KernelArgs& k) {
  kernel::map<2>(
      k, [&]<class T>(T a, T b) { return kernel::minus(a, kernel::times(number<T>(o.alpha), b)); });
}
template <> void reference(const Rsub& o, const KernelArgs& k) {
  kernel::map<2>(
      k, [&]<class T>(T a, T b) { return kernel::minus(b, kernel::times(number<T>(o.alpha), a)); });
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

/// Function, method and in-place method of a tensor and a T.
#define TAPER_ALPHA_METHODS(name, O, T)                                                \
  Tensor name(const Tensor& x, const T& other, const Scalar& alpha) {                  \
    return run(O{alpha}, x, other);                                                    \
  }                                                                                    \
  namespace ops {                                                                      \
  Tensor PointwiseMethods::name(const T& other, const Scalar& alpha) const {           \
    return run(O{alpha}, self_of(this), other);                                        \
  }                                                                                    \
  const Tensor& PointwiseMethods::name##_(const T& other, const Scalar& alpha) const { \
    return run_inplace(O{alpha}, self_of(this), other);                                \
  }                                                                                    \
  }
TAPER_ALPHA_METHODS(add, Add, Tensor)
TAPER_ALPHA_METHODS(add, Add, Scalar)
TAPER_ALPHA_METHODS(sub, Sub, Tensor)
TAPER_ALPHA_METHODS(sub, Sub, Scalar)
#undef TAPER_ALPHA_METHODS

Tensor rsub(const Tensor& x, const Scalar& other, const Scalar& alpha) {
  return run(Rsub{alpha}, x, other);
}

}  // namespace taper
