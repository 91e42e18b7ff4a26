#include "ops/pointwise/add.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/add.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class O> struct AlphaLoop {
  using Op = O;
  struct State {
    double alpha;
    std::int64_t integral;
  };
  static State state(const O& o) {
    return {o.alpha.to_double(), o.alpha.is_floating() ? 0 : o.alpha.to_int()};
  }
};
struct AddLoop : AlphaLoop<Add> {
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V a, V b) {
    return hn::MulAdd(b, set(d, s.alpha), a);
  }
  static std::int64_t integral(const State& s, std::int64_t a, std::int64_t b) {
    return kernel::plus(a, kernel::times(s.integral, b));
  }
};
struct SubLoop : AlphaLoop<Sub> {
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V a, V b) {
    return hn::NegMulAdd(b, set(d, s.alpha), a);
  }
  static std::int64_t integral(const State& s, std::int64_t a, std::int64_t b) {
    return kernel::minus(a, kernel::times(s.integral, b));
  }
};
struct RsubLoop : AlphaLoop<Rsub> {
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V a, V b) {
    return hn::NegMulAdd(a, set(d, s.alpha), b);
  }
  static std::int64_t integral(const State& s, std::int64_t a, std::int64_t b) {
    return kernel::minus(b, kernel::times(s.integral, a));
  }
};
TAPER_DEFINE_CPU_KERNEL(Add, AddLoop)
TAPER_DEFINE_CPU_KERNEL(Sub, SubLoop)
TAPER_DEFINE_CPU_KERNEL(Rsub, RsubLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
