// Kernels of division with rounding, fmod and remainder.
#include "ops/pointwise/bitwise.h"
#include "ops/pointwise/div_mode.h"

#include "ops/pointwise/division.h"
#include "ops/pointwise/elements.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/division.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/remainder-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct TruncDivLoop {
  using Op = DivMode;
  static char state(const Op&) { return 0; }
  template <class D, class V> static HWY_INLINE V vector(D, char, V a, V b) {
    return hn::Trunc(hn::Div(a, b));
  }
  static std::int64_t integral(char, std::int64_t a, std::int64_t b) {
    return kernel::quotient(a, b);
  }
  template <class V> static HWY_INLINE V exact(char, V a, V b) { return hn::Trunc(hn::Div(a, b)); }
};
struct FloorDivLoop : ComputeBoundLoop {
  using Op = DivMode;
  static char state(const Op&) { return 0; }
#if HWY_TARGET != HWY_SCALAR
  template <class D, class V>
  requires(sizeof(hn::TFromD<D>) == 4) static HWY_INLINE V vector(D d, char, V a, V b) {
    return math::vec_floor_div(d, a, b);
  }
#endif
  template <class T> static T scalar(char, T a, T b) { return kernel::floor_div(a, b); }
  static std::int64_t integral(char, std::int64_t a, std::int64_t b) {
    return kernel::floor_div(a, b);
  }
  template <class V> static HWY_INLINE V exact(char, V a, V b) { return hn::Floor(hn::Div(a, b)); }
};
TAPER_LOOP_TABLE(trunc_div, TruncDivLoop)
TAPER_LOOP_TABLE(floor_div, FloorDivLoop)

#if HWY_TARGET != HWY_SCALAR
#define TAPER_REMAINDER_LOOP(O, vector_body, round)                                            \
  struct O##Loop : ValueLoop<O> {                                                              \
    static constexpr std::int64_t kGrain = costly;                                             \
    template <class D, class V>                                                                \
    requires(sizeof(hn::TFromD<D>) == 4) static HWY_INLINE V vector(D d, const O&, V a, V b) { \
      return vector_body;                                                                      \
    }                                                                                          \
    template <class T> static T scalar(const O&, T a, T b) { return O::value(a, b); }          \
    template <class V> static HWY_INLINE V exact(const O&, V a, V b) {                         \
      return hn::NegMulAdd(hn::round(hn::Div(a, b)), b, a);                                    \
    }                                                                                          \
  };                                                                                           \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
TAPER_REMAINDER_LOOP(Fmod, math::vec_fmod(d, a, b), Trunc)
TAPER_REMAINDER_LOOP(Remainder, math::vec_remainder(d, a, b), Floor)
#undef TAPER_REMAINDER_LOOP
#else
TAPER_SCALAR_BINARY_LOOP(Fmod, costly)
TAPER_SCALAR_BINARY_LOOP(Remainder, costly)
#endif

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
HWY_EXPORT(trunc_div_loops);
HWY_EXPORT(floor_div_loops);
template <> bool cpu_kernel(const DivMode& o, const KernelArgs& k) {
  reject_zero_divisors(k, "div");
  const kernel::LoopTable* const loops = o.rounding_mode == "trunc"
                                             ? HWY_DYNAMIC_DISPATCH(trunc_div_loops)()
                                             : HWY_DYNAMIC_DISPATCH(floor_div_loops)();
  return kernel::run_elementwise(*loops, &o, k);
}
}  // namespace taper
#endif
