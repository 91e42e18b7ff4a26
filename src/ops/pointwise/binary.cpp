#include "ops/pointwise/binary.h"

#include "ops/pointwise/define_rows.h"

namespace taper {
namespace {

/// Returns 0 where `not_selected` is true, half of `g` where `equal` is true, `g` elsewhere.
Tensor split_ties(const Tensor& g, const Tensor& equal, const Tensor& not_selected) {
  return where(not_selected, 0, where(equal, g / 2, g));
}
/// Returns the gradient of max(a, b) with respect to a.
Tensor max_gradient(const Tensor& g, const Tensor& a, const Tensor& b) {
  return split_ties(g, a == b, a < b);
}
/// Returns the gradient of min(a, b) with respect to a.
Tensor min_gradient(const Tensor& g, const Tensor& a, const Tensor& b) {
  return split_ties(g, a == b, a > b);
}

}  // namespace

#define TAPER_FORMS_methods(name, Type) \
  TAPER_ALL_FORMS(Pointwise, name, (const Tensor& other), Type{}, other)
#define TAPER_FORMS_or_number(name, Type) \
  TAPER_FORMS_methods(name, Type)         \
      TAPER_ALL_FORMS(Pointwise, name, (const Scalar& other), Type{}, other)
#define TAPER_FORMS_no_inplace(name, Type)                   \
  TAPER_FUNCTION(name, (const Tensor& other), Type{}, other) \
  TAPER_METHOD(Pointwise, name, (const Tensor& other), Type{}, other)
#define TAPER_FORMS_internal(name, Type)
#define TAPER_FORMS_adjoint(name, Type)

#define BINARY TAPER_DEFINE_BINARY
#include "ops/pointwise/binary.inc"

#define TAPER_OPERATOR(sign, Type)                                                     \
  Tensor operator sign(const Tensor& a, const Tensor& b) { return run(Type{}, a, b); } \
  Tensor operator sign(const Tensor& a, const Scalar& b) { return run(Type{}, a, b); }
TAPER_OPERATOR(*, Mul)
TAPER_OPERATOR(/, Div)
TAPER_OPERATOR(==, Eq)
TAPER_OPERATOR(!=, Ne)
TAPER_OPERATOR(<, Lt)
TAPER_OPERATOR(<=, Le)
TAPER_OPERATOR(>, Gt)
TAPER_OPERATOR(>=, Ge)
Tensor operator*(const Scalar& a, const Tensor& b) { return b * a; }
Tensor operator/(const Scalar& a, const Tensor& b) { return b.reciprocal() * a; }
Tensor operator==(const Scalar& a, const Tensor& b) { return b == a; }
Tensor operator!=(const Scalar& a, const Tensor& b) { return b != a; }
Tensor operator<(const Scalar& a, const Tensor& b) { return b > a; }
Tensor operator<=(const Scalar& a, const Tensor& b) { return b >= a; }
Tensor operator>(const Scalar& a, const Tensor& b) { return b < a; }
Tensor operator>=(const Scalar& a, const Tensor& b) { return b <= a; }

const Tensor& operator*=(const Tensor& a, const Tensor& b) { return run_inplace(Mul{}, a, b); }
const Tensor& operator*=(const Tensor& a, const Scalar& b) { return run_inplace(Mul{}, a, b); }
const Tensor& operator/=(const Tensor& a, const Tensor& b) { return run_inplace(Div{}, a, b); }
const Tensor& operator/=(const Tensor& a, const Scalar& b) { return run_inplace(Div{}, a, b); }

}  // namespace taper
