// Kernels of the ops of unary.inc and binary.inc, one line each. Included after vector_loop-inl.h.
//
//   TAPER_UNARY_LOOP(Sqrt, cheap, hn::Sqrt(x))      x: vector of float or double with tag d
//   TAPER_BINARY_LOOP(Mul, cheap, hn::Mul(a, b))    a, b: vectors
//   TAPER_SCALAR_LOOP(Sin, costly, std::sin(x))     x: float or double, without a vector form
//   TAPER_FLOAT_LOOP(Sin, costly, vec_sin(d, x), std::sin(x))
//                                                   vector form for float, scalar form for double
//   TAPER_FLOAT_BINARY_LOOP(Hypot, costly, vec_hypot(d, a, b))
//                                                   vector form for float, Hypot::value for double
//   TAPER_SCALAR_BINARY_LOOP(Hypot, costly)         Hypot::value, without a vector form
//   TAPER_PREDICATE_LOOP(Eq)                             ops that return bool: Eq::value
//
// Integers are computed by O::value. `costly`: the computation takes much longer than the memory
// accesses.
#if defined(TAPER_OPS_POINTWISE_ROW_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_POINTWISE_ROW_LOOPS_INL_H_
#undef TAPER_OPS_POINTWISE_ROW_LOOPS_INL_H_
#else
#define TAPER_OPS_POINTWISE_ROW_LOOPS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

constexpr std::int64_t cheap = kernel::LoopTable{}.grain, costly = ComputeBoundLoop::kGrain;

/// Returns -1, 0 or 1; 0 for NaN.
template <class D, class V> HWY_INLINE V sign_of(D d, V x) {
  const V zero = hn::Zero(d);
  return hn::IfThenElseZero(hn::Or(hn::Gt(x, zero), hn::Lt(x, zero)), hn::CopySign(set(d, 1), x));
}

template <class O, bool = O::integers> struct ValueLoop { using Op = O; };
template <class O> struct ValueLoop<O, true> {
  using Op = O;
  static constexpr auto integral = [](const O&, auto... x) { return O::value(x...); };
};
template <class O> struct PredicateLoop {
  using Op = O;
  static constexpr bool kRoundOperands = true;
  template <class T, class... More> static bool predicate(const O&, T x, More... more) {
    return O::value(x, more...);
  }
};

#define TAPER_UNARY_LOOP(O, grain, body)                                                          \
  struct O##Loop : ValueLoop<O> {                                                                 \
    static constexpr std::int64_t kGrain = grain;                                                 \
    template <class D, class V> static HWY_INLINE V vector([[maybe_unused]] D d, const O&, V x) { \
      return body;                                                                                \
    }                                                                                             \
  };                                                                                              \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_BINARY_LOOP(O, grain, body)                                  \
  struct O##Loop : ValueLoop<O> {                                          \
    static constexpr std::int64_t kGrain = grain;                          \
    template <class D, class V>                                            \
    static HWY_INLINE V vector([[maybe_unused]] D d, const O&, V a, V b) { \
      return body;                                                         \
    }                                                                      \
  };                                                                       \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_SCALAR_LOOP(O, grain, body)                              \
  struct O##Loop : ValueLoop<O> {                                      \
    static constexpr std::int64_t kGrain = grain;                      \
    template <class T> static T scalar(const O&, T x) { return body; } \
  };                                                                   \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_FLOAT_LOOP(O, grain, vector_body, scalar_body)                              \
  struct O##Loop : ValueLoop<O> {                                                         \
    static constexpr std::int64_t kGrain = grain;                                         \
    template <class D, class V>                                                           \
    requires(sizeof(hn::TFromD<D>) == 4) static HWY_INLINE V vector(D d, const O&, V x) { \
      return vector_body;                                                                 \
    }                                                                                     \
    template <class T> static T scalar(const O&, T x) { return scalar_body; }             \
  };                                                                                      \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_FLOAT_BINARY_LOOP(O, grain, vector_body)                                         \
  struct O##Loop : ValueLoop<O> {                                                              \
    static constexpr std::int64_t kGrain = grain;                                              \
    template <class D, class V>                                                                \
    requires(sizeof(hn::TFromD<D>) == 4) static HWY_INLINE V vector(D d, const O&, V a, V b) { \
      return vector_body;                                                                      \
    }                                                                                          \
    template <class T> static T scalar(const O&, T a, T b) { return O::value(a, b); }          \
  };                                                                                           \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_SCALAR_BINARY_LOOP(O, grain)                                            \
  struct O##Loop : ValueLoop<O> {                                                     \
    static constexpr std::int64_t kGrain = grain;                                     \
    template <class T> static T scalar(const O&, T a, T b) { return O::value(a, b); } \
  };                                                                                  \
  TAPER_DEFINE_CPU_KERNEL(O, O##Loop)
#define TAPER_PREDICATE_LOOP(O) TAPER_DEFINE_CPU_KERNEL(O, PredicateLoop<O>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
