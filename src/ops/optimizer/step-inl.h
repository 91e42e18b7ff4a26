// Loop over the elements of one parameter, shared by the kernels of the fused optimizer steps.
#if defined(TAPER_OPS_OPTIMIZER_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_OPTIMIZER_STEP_INL_H_
#undef TAPER_OPS_OPTIMIZER_STEP_INL_H_
#else
#define TAPER_OPS_OPTIMIZER_STEP_INL_H_
#endif

#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"
#include "ops/optimizer/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The functions below, and the formulas that use them, fuse multiply-adds exactly where PyTorch's
// vector code does (add with alpha, lerp).

template <class D> HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

/// Returns a mask that negates a number by exclusive or if `negated` is true, otherwise zero.
template <class D> HWY_INLINE hn::Vec<D> sign_mask(D d, bool negated) {
  return constant(d, negated ? -0.0 : 0.0);
}

/// Returns the larger number, or NaN if one of them is NaN.
template <class V> HWY_INLINE V maximum(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
}

/// Computes start + weight * (end - start) for a constant weight.
template <class D, class V = hn::Vec<D>> struct Lerp {
  V weight;
  bool near_start;

  Lerp(D d, double w)
      : weight(constant(d, w)), near_start(hn::TFromD<D>(w) < 0.5 && hn::TFromD<D>(w) > -0.5) {
    if (!near_start) weight = hn::Sub(weight, constant(d, 1));
  }
  HWY_INLINE V operator()(V start, V end) const {
    return hn::MulAdd(weight, hn::Sub(end, start), near_start ? start : end);
  }
};

/// Moving average of squares: decay * average + (1 - decay) * x^2.
template <class D, class V = hn::Vec<D>> struct AverageOfSquares {
  V decay, rest;

  AverageOfSquares(D d, double beta) : decay(constant(d, beta)), rest(constant(d, 1 - beta)) {}
  HWY_INLINE V operator()(V average, V x) const {
    return hn::Add(hn::Mul(average, decay), hn::Mul(hn::Mul(rest, x), x));
  }
};

/// Sign of the gradient and weight decay, coupled (part of the gradient) or decoupled.
template <class D, class V = hn::Vec<D>> struct Decay {
  V sign, factor;
  bool coupled, decoupled;

  template <class Step> Decay(D d, const Step& o, double lr = 0, bool is_decoupled = false)
      : sign(sign_mask(d, o.maximize)),
        factor(constant(d, is_decoupled ? 1 - lr * o.weight_decay : o.weight_decay)),
        coupled(!is_decoupled && o.weight_decay != 0),
        decoupled(is_decoupled && o.weight_decay != 0) {}
  HWY_INLINE void operator()(V& p, V& g) const {
    g = hn::Xor(g, sign);
    if (coupled) g = hn::MulAdd(p, factor, g);
    if (decoupled) p = hn::Mul(p, factor);
  }
};

/// Applies `Formula<D>{d, coefficients}` to all elements. It is called with a parameter, a gradient
/// and three states; absent states are zero.
template <template <class...> class Formula, class T>
void run_elements(const Elements<T>& e, const void* coefficients) {
  using D = hn::ScalableTag<T>;
  const D d;
  using Step = typename Formula<D>::Step;
  const Formula<D> formula(d, *static_cast<const Step*>(coefficients));
  T* const HWY_RESTRICT param = e.param;
  const T* const HWY_RESTRICT grad = e.grad;
  T* const HWY_RESTRICT s0 = e.state[0];
  T* const HWY_RESTRICT s1 = e.state[1];
  T* const HWY_RESTRICT s2 = e.state[2];
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= e.n; i += lanes) {
    auto p = hn::LoadU(d, param + i), a = hn::Zero(d), b = a, c = a;
    if (s0) a = hn::LoadU(d, s0 + i);
    if (s1) b = hn::LoadU(d, s1 + i);
    if (s2) c = hn::LoadU(d, s2 + i);
    formula(p, hn::LoadU(d, grad + i), a, b, c);
    hn::StoreU(p, d, param + i);
    if (s0) hn::StoreU(a, d, s0 + i);
    if (s1) hn::StoreU(b, d, s1 + i);
    if (s2) hn::StoreU(c, d, s2 + i);
  }
  if (i == e.n) return;
  const auto rest = static_cast<std::size_t>(e.n - i);
  namespace tail = cpu::HWY_NAMESPACE;
  auto p = tail::load_n(d, param + i, rest), a = hn::Zero(d), b = a, c = a;
  if (s0) a = tail::load_n(d, s0 + i, rest);
  if (s1) b = tail::load_n(d, s1 + i, rest);
  if (s2) c = tail::load_n(d, s2 + i, rest);
  formula(p, tail::load_n(d, grad + i, rest), a, b, c);
  tail::store_n(p, d, param + i, rest);
  if (s0) tail::store_n(a, d, s0 + i, rest);
  if (s1) tail::store_n(b, d, s1 + i, rest);
  if (s2) tail::store_n(c, d, s2 + i, rest);
}

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
