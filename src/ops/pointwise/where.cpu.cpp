#include "ops/pointwise/where.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/where.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct WhereLoop {
  using Op = Where;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V condition, V a, V b) {
    return hn::IfThenElse(hn::Ne(condition, hn::Zero(d)), a, b);
  }
  static std::int64_t whole(const Op&, std::int64_t condition, std::int64_t a, std::int64_t b) {
    return condition != 0 ? a : b;
  }
};
TAPER_LOOPS(where, WhereLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(where, Where)
}  // namespace taper
#endif
