#include "ops/pointwise/compare.h"

#include "ops/kernel/reference.h"

namespace taper {

#define TAPER_COMPARISON(name, O, sign)                                             \
  template <> void reference(const O&, const KernelArgs& k) {                       \
    kernel::map<2>(                                                                 \
        k, [](auto a, auto b) { return O::holds(a, b); }, true);                    \
  }                                                                                 \
  TAPER_DEFINE_OP(name, O);                                                         \
  TAPER_BINARY_METHODS(name, O, Tensor)                                             \
  TAPER_BINARY_METHODS(name, O, Scalar)                                             \
  Tensor operator sign(const Tensor& a, const Tensor& b) { return run(O{}, a, b); } \
  Tensor operator sign(const Tensor& a, const Scalar& b) { return run(O{}, a, b); }
TAPER_COMPARISON(eq, Eq, ==)
TAPER_COMPARISON(ne, Ne, !=)
TAPER_COMPARISON(lt, Lt, <)
TAPER_COMPARISON(le, Le, <=)
TAPER_COMPARISON(gt, Gt, >)
TAPER_COMPARISON(ge, Ge, >=)
#undef TAPER_COMPARISON

Tensor operator==(const Scalar& a, const Tensor& b) { return b == a; }
Tensor operator!=(const Scalar& a, const Tensor& b) { return b != a; }
Tensor operator<(const Scalar& a, const Tensor& b) { return b > a; }
Tensor operator<=(const Scalar& a, const Tensor& b) { return b >= a; }
Tensor operator>(const Scalar& a, const Tensor& b) { return b < a; }
Tensor operator>=(const Scalar& a, const Tensor& b) { return b <= a; }

}  // namespace taper
