#include "ops/pointwise/mul.h"
#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/mul.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct MulLoop {
  using Op = Mul;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V a, V b) {
    return hn::Mul(a, b);
  }
  static std::int64_t whole(const Op&, std::int64_t a, std::int64_t b) {
    return kernel::times(a, b);
  }
};
TAPER_LOOPS(mul, MulLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(mul, Mul)
}  // namespace taper
#endif
