#include "ops/pointwise/pow.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/pow.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

/// Computes powers with exponents that do not require pow().
struct SpecialPowLoop {
  using Op = PowScalar;
  static double state(const Op& o) { return o.exponent.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double e, V x) {
    const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
    if (e == 1) return x;
    if (e == 2) return hn::Mul(x, x);
    if (e == 3) return hn::Mul(hn::Mul(x, x), x);
    if (e == 0.5) return hn::Sqrt(x);
    if (e == -0.5) return hn::Div(one, hn::Sqrt(x));
    if (e == -1) return hn::Div(one, x);
    if (e == -2) return hn::Div(one, hn::Mul(x, x));
    return one;
  }
};
/// Computes powers of f32 in f64, and those of f64 by std::pow.
struct PowLoop : ComputeBoundLoop {
#if HWY_TARGET != HWY_SCALAR
  template <class D, class V>
  requires(sizeof(hn::TFromD<D>) == 4) static HWY_INLINE V power(D d, V x, V e) {
    return math::in_double<math::PowOfDouble>(d, x, e);
  }
#endif
};
struct PowScalarLoop : PowLoop {
  using Op = PowScalar;
  static double state(const Op& o) { return o.exponent.to_double(); }
  template <class D, class V> static HWY_INLINE auto vector(D d, double e, V x)
      -> decltype(power(d, x, x)) {
    return power(d, x, set(d, e));
  }
  template <class T> static T scalar(double e, T x) { return std::pow(x, static_cast<T>(e)); }
};
struct PowTensorLoop : PowLoop {
  using Op = PowTensor;
  template <class D, class V> static HWY_INLINE auto vector(D d, const Op&, V x, V e)
      -> decltype(power(d, x, e)) {
    return power(d, x, e);
  }
  template <class T> static T scalar(const Op&, T x, T e) { return std::pow(x, e); }
};
struct PowNumberLoop : PowLoop {
  using Op = PowNumber;
  static double state(const Op& o) { return o.self.to_double(); }
  template <class D, class V> static HWY_INLINE auto vector(D d, double base, V e)
      -> decltype(power(d, e, e)) {
    return power(d, set(d, base), e);
  }
  template <class T> static T scalar(double base, T e) { return std::pow(static_cast<T>(base), e); }
};
TAPER_LOOP_TABLE(special_pow, SpecialPowLoop)
TAPER_LOOP_TABLE(pow_scalar, PowScalarLoop)
TAPER_LOOP_TABLE(pow_number, PowNumberLoop)
TAPER_DEFINE_CPU_KERNEL(PowTensor, PowTensorLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
HWY_EXPORT(special_pow_loops);
HWY_EXPORT(pow_scalar_loops);
HWY_EXPORT(pow_number_loops);

static bool is_special_exponent(double e) {
  return e == 0 || e == 1 || e == 2 || e == 3 || e == 0.5 || e == -0.5 || e == -1 || e == -2;
}
template <> bool cpu_kernel(const PowScalar& o, const KernelArgs& k) {
  const kernel::LoopTable* const loops = is_special_exponent(o.exponent.to_double())
                                             ? HWY_DYNAMIC_DISPATCH(special_pow_loops)()
                                             : HWY_DYNAMIC_DISPATCH(pow_scalar_loops)();
  return kernel::run_elementwise(*loops, &o, in_output_dtype(k));
}
template <> bool cpu_kernel(const PowNumber& o, const KernelArgs& k) {
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(pow_number_loops)(), &o, in_output_dtype(k));
}
}  // namespace taper
#endif
