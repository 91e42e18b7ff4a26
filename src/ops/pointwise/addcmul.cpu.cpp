#include "ops/pointwise/addcmul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/addcmul.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class D, class V> HWY_INLINE V between(D d, V a, V b, V weight) {
  const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1)), whole = hn::Sub(b, a);
  const auto low = hn::Lt(weight, hn::Set(d, static_cast<hn::TFromD<D>>(0.5)));
  return hn::IfThenElse(low, hn::MulAdd(weight, whole, a),
                        hn::NegMulAdd(whole, hn::Sub(one, weight), b));
}
struct AddcmulLoop {
  using Op = Addcmul;
  static double state(const Op& o) { return o.value.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double value, V x, V a, V b) {
    return hn::MulAdd(hn::Mul(hn::Set(d, static_cast<hn::TFromD<D>>(value)), a), b, x);
  }
};
struct AddcdivLoop {
  using Op = Addcdiv;
  static double state(const Op& o) { return o.value.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double value, V x, V a, V b) {
    return hn::Add(x, hn::Div(hn::Mul(hn::Set(d, static_cast<hn::TFromD<D>>(value)), a), b));
  }
};
struct LerpLoop {
  using Op = Lerp;
  static double state(const Op& o) { return o.weight.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double weight, V a, V b) {
    return between(d, a, b, hn::Set(d, static_cast<hn::TFromD<D>>(weight)));
  }
};
struct LerpTensorLoop {
  using Op = LerpTensor;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V a, V b, V weight) {
    return between(d, a, b, weight);
  }
};
TAPER_LOOPS(addcmul, AddcmulLoop)
TAPER_LOOPS(addcdiv, AddcdivLoop)
TAPER_LOOPS(lerp, LerpLoop)
TAPER_LOOPS(lerp_tensor, LerpTensorLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(addcmul, Addcmul)
TAPER_CPU_OP(addcdiv, Addcdiv)
TAPER_CPU_OP(lerp, Lerp)
TAPER_CPU_OP(lerp_tensor, LerpTensor)
}  // namespace taper
#endif
