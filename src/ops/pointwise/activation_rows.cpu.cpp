#include "ops/pointwise/activation_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/activation_rows.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

/// Computes t = tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2), and 1 - t. From 20 on, t
/// rounds to 1.
template <class D, class V> HWY_INLINE V mish_factor(D d, V x, V& rest) {
  const V e = math::vec_exp(d, hn::Min(x, set(d, 20)));
  const V n = hn::Mul(e, hn::Add(e, set(d, 2)));
  const V inverse = hn::Div(set(d, 1), hn::Add(n, set(d, 2)));
  rest = hn::Mul(set(d, 2), inverse);
  return hn::Mul(n, inverse);
}
template <class D, class V> HWY_INLINE V mish(D d, V x) {
  V rest;
  return hn::Mul(x, mish_factor(d, x, rest));
}
template <class D, class V> HWY_INLINE V mish_slope(D d, V x) {
  V rest;
  const V t = mish_factor(d, x, rest);
  const V slope = hn::Mul(math::vec_sigmoid(d, x), hn::Mul(rest, hn::Add(set(d, 1), t)));
  // Beyond the limit of mish_factor, the slope is not 0 and would be magnified by x.
  return hn::MulAdd(hn::Min(x, set(d, 20)), slope, t);
}
template <class D, class V> HWY_INLINE V silu_slope(D d, V x) {
  const V s = math::vec_sigmoid(d, x);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(set(d, 1), s), set(d, 1)));
}
template <class D, class V> HWY_INLINE V hardsigmoid(D d, V x) {
  const V shifted = hn::Add(x, set(d, 3));
  const V y = hn::Div(hn::Min(hn::Max(shifted, hn::Zero(d)), set(d, 6)), set(d, 6));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}
template <class D, class V> HWY_INLINE V log_sigmoid(D d, V x) {
  return hn::Sub(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Zero(d), x), math::vec_log1p_exp(d, x));
}

TAPER_UNARY_LOOP(Silu, costly, hn::Mul(x, math::vec_sigmoid(d, x)))
TAPER_UNARY_LOOP(Mish, costly, mish(d, x))
TAPER_UNARY_LOOP(Hardsigmoid, cheap, hardsigmoid(d, x))
TAPER_UNARY_LOOP(LogSigmoid, costly, log_sigmoid(d, x))
TAPER_BINARY_LOOP(SiluBackward, costly, hn::Mul(a, silu_slope(d, b)))
TAPER_BINARY_LOOP(MishBackward, costly, hn::Mul(a, mish_slope(d, b)))
TAPER_BINARY_LOOP(LogSigmoidBackward, costly, hn::Mul(a, math::vec_sigmoid(d, hn::Neg(b))))
TAPER_BINARY_LOOP(HardsigmoidBackward, cheap,
                  hn::IfThenElseZero(hn::Lt(hn::Abs(b), set(d, 3)),
                                     hn::Mul(a, set(d, static_cast<double>(1.0f / 6)))))
TAPER_BINARY_LOOP(PreluKernel, cheap, hn::IfThenElse(hn::Gt(a, hn::Zero(d)), a, hn::Mul(a, b)))
TAPER_BINARY_LOOP(Glu, costly, hn::Mul(a, math::vec_sigmoid(d, b)))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
