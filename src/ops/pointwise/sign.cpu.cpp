#include "ops/pointwise/sign.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/sign.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct NegLoop {
  using Op = Neg;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x) { return hn::Neg(x); }
  static std::int64_t whole(const Op&, std::int64_t x) { return kernel::minus(std::int64_t{0}, x); }
};
struct AbsLoop {
  using Op = Abs;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x) { return hn::Abs(x); }
  static std::int64_t whole(const Op&, std::int64_t x) {
    return x < 0 ? kernel::minus(std::int64_t{0}, x) : x;
  }
};
struct SignLoop {
  using Op = Sign;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    const V zero = hn::Zero(d), one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
    return hn::IfThenElseZero(hn::Or(hn::Gt(x, zero), hn::Lt(x, zero)), hn::CopySign(one, x));
  }
  static std::int64_t whole(const Op&, std::int64_t x) { return (x > 0) - (x < 0); }
};
TAPER_LOOPS(neg, NegLoop)
TAPER_LOOPS(abs, AbsLoop)
TAPER_LOOPS(sign, SignLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(neg, Neg)
TAPER_CPU_OP(abs, Abs)
TAPER_CPU_OP(sign, Sign)
}  // namespace taper
#endif
