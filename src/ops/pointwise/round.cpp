#include "ops/pointwise/round.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {
namespace {

template <class F> void round_by(const KernelArgs& k, F round) {
  kernel::map<1>(k, [round]<class T>(T x) {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return round(x);
  });
}

}  // namespace

template <> void reference(const Floor&, const KernelArgs& k) {
  round_by(k, [](double x) { return std::floor(x); });
}
template <> void reference(const Ceil&, const KernelArgs& k) {
  round_by(k, [](double x) { return std::ceil(x); });
}
template <> void reference(const Round&, const KernelArgs& k) {
  round_by(k, [](double x) { return std::nearbyint(x); });
}
template <> void reference(const Trunc&, const KernelArgs& k) {
  round_by(k, [](double x) { return std::trunc(x); });
}

TAPER_DEFINE_OP(floor, Floor);
TAPER_DEFINE_OP(ceil, Ceil);
TAPER_DEFINE_OP(round, Round);
TAPER_DEFINE_OP(trunc, Trunc);

TAPER_UNARY_METHODS(floor, Floor)
TAPER_UNARY_METHODS(ceil, Ceil)
TAPER_UNARY_METHODS(round, Round)
TAPER_UNARY_METHODS(trunc, Trunc)

}  // namespace taper
