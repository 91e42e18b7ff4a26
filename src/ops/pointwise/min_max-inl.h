// Vector forms of the functions in elements.h. Included by kernel files after vector_loop-inl.h.
#if defined(TAPER_OPS_POINTWISE_MIN_MAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_POINTWISE_MIN_MAX_INL_H_
#undef TAPER_OPS_POINTWISE_MIN_MAX_INL_H_
#else
#define TAPER_OPS_POINTWISE_MIN_MAX_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class V> HWY_INLINE V nan_max(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
}
template <class V> HWY_INLINE V nan_min(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
}

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
