#include "ops/indexing/masked.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indexing/masked.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct MaskedFillLoop {
  using Op = MaskedFill;
  struct State {
    double value;
    std::int64_t integral;
  };
  static State state(const Op& o) {
    return {o.value.to_double(), kernel::scalar_to<std::int64_t>(o.value)};
  }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x, V mask) {
    return hn::IfThenElse(hn::Ne(mask, hn::Zero(d)), set(d, s.value), x);
  }
  static std::int64_t integral(const State& s, std::int64_t x, std::int64_t mask) {
    return mask != 0 ? s.integral : x;
  }
};
struct MaskedFillTensorLoop {
  using Op = MaskedFillTensor;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x, V mask, V value) {
    return hn::IfThenElse(hn::Ne(mask, hn::Zero(d)), value, x);
  }
  static std::int64_t integral(const Op&, std::int64_t x, std::int64_t mask, std::int64_t value) {
    return mask != 0 ? value : x;
  }
};
TAPER_LOOP_TABLE(masked_fill, MaskedFillLoop)
TAPER_LOOP_TABLE(masked_fill_tensor, MaskedFillTensorLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
HWY_EXPORT(masked_fill_loops);
template <> bool cpu_kernel(const MaskedFill& o, const KernelArgs& k) {
  // Conversion to bool must treat a fraction as true; the integer loops would truncate it to 0.
  if (k.compute == DType::bool_ && o.value.is_floating()) return false;
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(masked_fill_loops)(), &o, k);
}
HWY_EXPORT(masked_fill_tensor_loops);
template <> bool cpu_kernel(const MaskedFillTensor& o, const KernelArgs& k) {
  if (k.in[2].dtype != k.compute) return false;
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(masked_fill_tensor_loops)(), &o, k);
}
}  // namespace taper
#endif
