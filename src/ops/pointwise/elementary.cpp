#include "ops/pointwise/elementary.h"

#include "ops/pointwise/define_rows.h"
#include "ops/pointwise/plain_loops.h"

namespace taper {
namespace {

/// Computes the gradient of sinc, which is 0 at 0.
Tensor sinc_gradient(const Tensor& g, const Tensor& x) {
  const Tensor angle = x * std::numbers::pi, denominator = angle * x;
  return where(denominator == 0, 0, g * ((angle * angle.cos() - angle.sin()) / denominator));
}

/// Returns c / (a^2 + b^2), and 0 where a and b are 0. The squares may leave the range.
Tensor over_square(const Tensor& c, const Tensor& a, const Tensor& b) {
  const Tensor size = a.hypot(b), divisor = size.masked_fill(size == 0, 1);
  return c / divisor / divisor;
}
/// Returns the derivative of the magnitude of a with the sign of b: 0 at 0.
Tensor copysign_slope(const Tensor& a, const Tensor& b) {
  const Tensor is_zero = a == 0;
  return (a.copysign(b) / a.masked_fill(is_zero, 1)).masked_fill(is_zero, 0);
}

/// Returns `g` where `selected` is true, half of it where the operands are equal, and 0 elsewhere.
Tensor share_gradient(const Tensor& g, const Tensor& equal, const Tensor& selected) {
  return where(equal, g / 2, where(selected, g, 0));
}
Tensor is_only_nan(const Tensor& a, const Tensor& b) {
  return a.isnan().logical_and(b.isnan().logical_not());
}

}  // namespace

void SameDtype::infer(ShapeInference& i) const {
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("tensors must have the same dtype: got {} and {}", i.dtype(0), i.dtype(1));
  i.set_broadcast_output();
}

#define UNARY(name, Type, ...) TAPER_VALUE_KERNEL(Type, kCostlyGrain)
#define PREDICATE(name, Type, ...) TAPER_VALUE_KERNEL(Type)
#define BINARY UNARY
#define PLAIN_BINARY PREDICATE
#include "ops/pointwise/elementary.inc"

#define TAPER_FORMS_no_inplace(name, Type) TAPER_FORMS_predicate(name, Type)
#define TAPER_FORMS_methods(name, Type) TAPER_ALL_FORMS(Elementary, name, (), Type{})
#define TAPER_FORMS_all(name, Type) \
  TAPER_FORMS_methods(name, Type) TAPER_INPLACE_FUNCTION(name, (), Type{})
#define TAPER_FORMS_predicate(name, Type) \
  TAPER_FUNCTION(name, (), Type{}) TAPER_METHOD(Elementary, name, (), Type{})

#define UNARY TAPER_DEFINE_UNARY
#define PREDICATE TAPER_DEFINE_PREDICATE
#define BINARY(...)
#include "ops/pointwise/vectorized.inc"
#define UNARY TAPER_DEFINE_UNARY
#define PREDICATE TAPER_DEFINE_PREDICATE
#define BINARY(...)
#define PLAIN_BINARY(...)
#include "ops/pointwise/elementary.inc"

#undef TAPER_FORMS_no_inplace
#undef TAPER_FORMS_methods
#undef TAPER_FORMS_all
#define TAPER_FORMS_no_inplace(name, Type)                   \
  TAPER_FUNCTION(name, (const Tensor& other), Type{}, other) \
  TAPER_METHOD(Elementary, name, (const Tensor& other), Type{}, other)
#define TAPER_FORMS_methods(name, Type) \
  TAPER_ALL_FORMS(Elementary, name, (const Tensor& other), Type{}, other)
#define TAPER_FORMS_all(name, Type) \
  TAPER_FORMS_methods(name, Type) TAPER_INPLACE_FUNCTION(name, (const Tensor& other), Type{}, other)
#define TAPER_FORMS_or_number(name, Type) \
  TAPER_FORMS_methods(name, Type)         \
      TAPER_ALL_FORMS(Elementary, name, (const Scalar& other), Type{}, other)
#define TAPER_FORMS_number_first(name, Type)                                        \
  TAPER_FORMS_or_number(name, Type)                                                 \
      TAPER_INPLACE_FUNCTION(name, (const Tensor& other), Type{}, other)            \
          TAPER_INPLACE_FUNCTION(name, (const Scalar& other), Type{}, other) Tensor \
          name(const Scalar& self, const Tensor& other) {                           \
    return run(Type{}, self, other);                                                \
  }

#define UNARY(...)
#define PREDICATE(...)
#define BINARY TAPER_DEFINE_BINARY
#include "ops/pointwise/vectorized.inc"
#define UNARY(...)
#define PREDICATE(...)
#define BINARY TAPER_DEFINE_BINARY
#define PLAIN_BINARY TAPER_DEFINE_PLAIN_BINARY
#include "ops/pointwise/elementary.inc"

template <> void reference_kernel(const SignBit&, const KernelArgs& k) { map_values<SignBit>(k); }
template <> bool cpu_kernel(const SignBit& o, const KernelArgs& k) {
  // Values of uint64 from 2^63 on are negative as int64.
  if (k.in[0].dtype == DType::u64) return cpu_kernel(IsNegInf{}, k);
  return run_value_loop(o, k);
}
TAPER_DEFINE_OP(signbit, SignBit);
TAPER_FORMS_predicate(signbit, SignBit)

}  // namespace taper
