#include "ops/pointwise/erf.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

template <> void reference(const Erf&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::erf(static_cast<double>(x)); });
}

TAPER_DEFINE_OP(erf, Erf);

TAPER_UNARY_METHODS(erf, Erf)

}  // namespace taper
