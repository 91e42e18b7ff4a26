#include "ops/pointwise/sin.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

template <> void reference(const Sin&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::sin(static_cast<double>(x)); });
}
template <> void reference(const Cos&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::cos(static_cast<double>(x)); });
}

TAPER_DEFINE_OP(sin, Sin);
TAPER_DEFINE_OP(cos, Cos);

TAPER_UNARY_METHODS(sin, Sin)
TAPER_UNARY_METHODS(cos, Cos)

}  // namespace taper
