#include "ops/pointwise/exp.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

template <> void reference(const Exp&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::exp(static_cast<double>(x)); });
}
template <> void reference(const Expm1&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::expm1(static_cast<double>(x)); });
}
template <> void reference(const Log&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::log(static_cast<double>(x)); });
}
template <> void reference(const Log1p&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::log1p(static_cast<double>(x)); });
}

TAPER_DEFINE_OP(exp, Exp);
TAPER_DEFINE_OP(expm1, Expm1);
TAPER_DEFINE_OP(log, Log);
TAPER_DEFINE_OP(log1p, Log1p);

TAPER_UNARY_METHODS(exp, Exp)
TAPER_UNARY_METHODS(expm1, Expm1)
TAPER_UNARY_METHODS(log, Log)
TAPER_UNARY_METHODS(log1p, Log1p)

}  // namespace taper
