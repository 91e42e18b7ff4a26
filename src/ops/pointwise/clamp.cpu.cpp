#include "ops/pointwise/clamp.h"

#include <limits>

#include "ops/pointwise/binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/clamp.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "ops/pointwise/min_max-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct ClampLoop {
  using Op = Clamp;
  struct State {
    double min, max;
    std::int64_t integral_min, integral_max;
  };
  static State state(const Op& o) {
    using Double = std::numeric_limits<double>;
    using Int = std::numeric_limits<std::int64_t>;
    State s{o.min ? o.min->to_double() : -Double::infinity(),
            o.max ? o.max->to_double() : Double::infinity(), Int::min(), Int::max()};
    if (o.min && !o.min->is_floating()) s.integral_min = o.min->to_int();
    if (o.max && !o.max->is_floating()) s.integral_max = o.max->to_int();
    return s;
  }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    using T = hn::TFromD<D>;
    return nan_min(nan_max(x, hn::Set(d, static_cast<T>(s.min))),
                   hn::Set(d, static_cast<T>(s.max)));
  }
  static std::int64_t integral(const State& s, std::int64_t x) {
    return kernel::nan_min(kernel::nan_max(x, s.integral_min), s.integral_max);
  }
};
struct ClampTensorLoop {
  using Op = ClampTensor;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x, V min, V max) {
    return nan_min(nan_max(x, min), max);
  }
  static std::int64_t integral(const Op&, std::int64_t x, std::int64_t min, std::int64_t max) {
    return kernel::nan_min(kernel::nan_max(x, min), max);
  }
};
TAPER_LOOP_TABLE(clamp, ClampLoop)
TAPER_LOOP_TABLE(clamp_tensor, ClampTensorLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
HWY_EXPORT(clamp_loops);
HWY_EXPORT(clamp_tensor_loops);

template <> bool cpu_kernel(const Clamp& o, const KernelArgs& k) {
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(clamp_loops)(), &o, in_output_dtype(k));
}
template <> bool cpu_kernel(const ClampMin& o, const KernelArgs& k) {
  return cpu_kernel(Clamp{o.min, {}}, k);
}
template <> bool cpu_kernel(const ClampMax& o, const KernelArgs& k) {
  return cpu_kernel(Clamp{{}, o.max}, k);
}
template <> bool cpu_kernel(const ClampTensor& o, const KernelArgs& k) {
  if (k.has(1) && k.has(2))
    return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(clamp_tensor_loops)(), &o, k);
  const View operands[] = {k.in[0], k.in[k.has(1) ? 1 : 2]};
  const KernelArgs args{operands, k.out, k.compute};
  return k.has(1) ? cpu_kernel(Maximum{}, args) : cpu_kernel(Minimum{}, args);
}
}  // namespace taper
#endif
