#include "ops/pointwise/maximum.h"

#include "ops/pointwise/extremes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/maximum.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "ops/pointwise/extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class O> struct GreaterLoop {
  using Op = O;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V a, V b) {
    return greater(a, b);
  }
  static std::int64_t whole(const Op&, std::int64_t a, std::int64_t b) {
    return kernel::greater(a, b);
  }
};
template <class O> struct LesserLoop {
  using Op = O;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V a, V b) {
    return lesser(a, b);
  }
  static std::int64_t whole(const Op&, std::int64_t a, std::int64_t b) {
    return kernel::lesser(a, b);
  }
};
TAPER_LOOPS(maximum, GreaterLoop<Maximum>)
TAPER_LOOPS(minimum, LesserLoop<Minimum>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(maximum, Maximum)
TAPER_CPU_OP(minimum, Minimum)
template <> bool cpu(const ClampMinTensor&, const KernelArgs& k) { return cpu(Maximum{}, k); }
template <> bool cpu(const ClampMaxTensor&, const KernelArgs& k) { return cpu(Minimum{}, k); }
}  // namespace taper
#endif
