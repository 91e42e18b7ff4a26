#include "ops/pointwise/ternary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/ternary.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class D, class V> HWY_INLINE V interpolate(D d, V a, V b, V weight) {
  const V one = set(d, 1), difference = hn::Sub(b, a);
  const auto low = hn::Lt(weight, set(d, 0.5));
  return hn::IfThenElse(low, hn::MulAdd(weight, difference, a),
                        hn::NegMulAdd(difference, hn::Sub(one, weight), b));
}
struct AddcmulLoop {
  using Op = Addcmul;
  static double state(const Op& o) { return o.value.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double value, V x, V a, V b) {
    return hn::MulAdd(hn::Mul(set(d, value), a), b, x);
  }
};
struct AddcdivLoop {
  using Op = Addcdiv;
  static double state(const Op& o) { return o.value.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double value, V x, V a, V b) {
    return hn::Add(x, hn::Div(hn::Mul(set(d, value), a), b));
  }
};
struct LerpLoop {
  using Op = Lerp;
  static double state(const Op& o) { return o.weight.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double weight, V a, V b) {
    return interpolate(d, a, b, set(d, weight));
  }
};
struct LerpTensorLoop {
  using Op = LerpTensor;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V a, V b, V weight) {
    return interpolate(d, a, b, weight);
  }
};
struct WhereLoop {
  using Op = Where;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V condition, V a, V b) {
    return hn::IfThenElse(hn::Ne(condition, hn::Zero(d)), a, b);
  }
  static std::int64_t integral(const Op&, std::int64_t condition, std::int64_t a, std::int64_t b) {
    return condition != 0 ? a : b;
  }
};
TAPER_DEFINE_CPU_KERNEL(Addcmul, AddcmulLoop)
TAPER_DEFINE_CPU_KERNEL(Addcdiv, AddcdivLoop)
TAPER_DEFINE_CPU_KERNEL(Lerp, LerpLoop)
TAPER_DEFINE_CPU_KERNEL(LerpTensor, LerpTensorLoop)
TAPER_DEFINE_CPU_KERNEL(Where, WhereLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
