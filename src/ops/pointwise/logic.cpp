#include "ops/pointwise/logic.h"

#include "ops/kernel/reference.h"

namespace taper {

#define TAPER_LOGICAL(name, O)                                   \
  template <> void reference(const O&, const KernelArgs& k) {    \
    kernel::map<2>(                                              \
        k, [](auto a, auto b) { return O::holds(a, b); }, true); \
  }                                                              \
  TAPER_DEFINE_OP(name, O);                                      \
  TAPER_BINARY_METHODS(name, O, Tensor)
TAPER_LOGICAL(logical_and, LogicalAnd)
TAPER_LOGICAL(logical_or, LogicalOr)
TAPER_LOGICAL(logical_xor, LogicalXor)
#undef TAPER_LOGICAL

#define TAPER_QUESTION(name, O)                               \
  template <> void reference(const O&, const KernelArgs& k) { \
    kernel::map<1>(                                           \
        k, [](auto x) { return O::holds(x); }, true);         \
  }                                                           \
  TAPER_DEFINE_OP(name, O);
TAPER_QUESTION(logical_not, LogicalNot)
TAPER_QUESTION(isnan, IsNan)
TAPER_QUESTION(isinf, IsInf)
TAPER_QUESTION(isfinite, IsFinite)
#undef TAPER_QUESTION

TAPER_UNARY_METHODS(logical_not, LogicalNot)
Tensor isnan(const Tensor& x) { return run(IsNan{}, x); }
Tensor isinf(const Tensor& x) { return run(IsInf{}, x); }
Tensor isfinite(const Tensor& x) { return run(IsFinite{}, x); }
namespace ops {
Tensor PointwiseMethods::isnan() const { return run(IsNan{}, self_of(this)); }
Tensor PointwiseMethods::isinf() const { return run(IsInf{}, self_of(this)); }
Tensor PointwiseMethods::isfinite() const { return run(IsFinite{}, self_of(this)); }
}  // namespace ops

}  // namespace taper
