#include "ops/pointwise/sqrt.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

template <> void reference(const Sqrt&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return std::sqrt(static_cast<double>(x)); });
}
template <> void reference(const Rsqrt&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return 1 / std::sqrt(static_cast<double>(x)); });
}
template <> void reference(const Reciprocal&, const KernelArgs& k) {
  kernel::map<1>(k, [](auto x) { return 1 / static_cast<double>(x); });
}

TAPER_DEFINE_OP(sqrt, Sqrt);
TAPER_DEFINE_OP(rsqrt, Rsqrt);
TAPER_DEFINE_OP(reciprocal, Reciprocal);

TAPER_UNARY_METHODS(sqrt, Sqrt)
TAPER_UNARY_METHODS(rsqrt, Rsqrt)
TAPER_UNARY_METHODS(reciprocal, Reciprocal)

}  // namespace taper
