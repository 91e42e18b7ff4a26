#include "cpu/simd/targets.h"
#include "ops/optimizer/kernels.h"
#include "taper/ops/optimizer_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/rprop.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/optimizer/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {

template <class D, class V = hn::Vec<D>> struct RpropFormula {
  using Step = ops::RpropStep;
  V sign, zero, one, eta_minus, eta_plus, min, max;

  RpropFormula(D d, const Step& o)
      : sign(sign_mask(d, o.maximize)),
        zero(hn::Zero(d)),
        one(constant(d, 1)),
        eta_minus(constant(d, o.eta_minus)),
        eta_plus(constant(d, o.eta_plus)),
        min(constant(d, o.step_size_min)),
        max(constant(d, o.step_size_max)) {}
  HWY_INLINE void operator()(V& p, V g, V& previous, V& size, V&) const {
    g = hn::Xor(g, sign);
    const V product = hn::Mul(g, previous);
    const auto sign_changed = hn::Lt(product, zero);
    const V factor = hn::IfThenElse(sign_changed, eta_minus,
                                    hn::IfThenElse(hn::Gt(product, zero), eta_plus, one));
    // Comparisons, unlike Min and Max, preserve NaN. The sign of NaN is 0.
    size = hn::Mul(size, factor);
    size = hn::IfThenElse(hn::Lt(size, min), min, size);
    size = hn::IfThenElse(hn::Gt(size, max), max, size);
    g = hn::IfThenZeroElse(sign_changed, g);
    const V is_negative = hn::IfThenElseZero(hn::Lt(g, zero), one);
    const V gradient_sign = hn::IfThenElse(hn::Gt(g, zero), one, hn::Neg(is_negative));
    p = hn::NegMulAdd(gradient_sign, size, p);
    previous = g;
  }
};

template <class D, class V = hn::Vec<D>> struct ASGDFormula {
  using Step = ops::ASGDStep;
  Decay<D> decay;
  V factor, minus_eta, mu;
  bool averaged;

  ASGDFormula(D d, const Step& o)
      : decay(d, o),
        factor(constant(d, 1 - o.lambd * o.eta)),
        minus_eta(constant(d, -o.eta)),
        mu(constant(d, o.mu)),
        averaged(o.mu != 1) {}
  HWY_INLINE void operator()(V& p, V g, V& a, V&, V&) const {
    decay(p, g);
    p = hn::MulAdd(g, minus_eta, hn::Mul(p, factor));
    a = averaged ? hn::Add(a, hn::Mul(hn::Sub(p, a), mu)) : p;
  }
};

void RpropF32(const Elements<float>& e, const void* step) { run_elements<RpropFormula>(e, step); }
void RpropF64(const Elements<double>& e, const void* step) { run_elements<RpropFormula>(e, step); }
void ASGDF32(const Elements<float>& e, const void* step) { run_elements<ASGDFormula>(e, step); }
void ASGDF64(const Elements<double>& e, const void* step) { run_elements<ASGDFormula>(e, step); }

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::optimizer {

HWY_EXPORT(RpropF32);
HWY_EXPORT(RpropF64);
HWY_EXPORT(ASGDF32);
HWY_EXPORT(ASGDF64);

const Kernel kRprop{[](const Elements<float>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(RpropF32)
                      (e, step);
                    },
                    [](const Elements<double>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(RpropF64)
                      (e, step);
                    }};
const Kernel kASGD{[](const Elements<float>& e, const void* step) {
                     HWY_DYNAMIC_DISPATCH(ASGDF32)
                     (e, step);
                   },
                   [](const Elements<double>& e, const void* step) {
                     HWY_DYNAMIC_DISPATCH(ASGDF64)
                     (e, step);
                   }};

}  // namespace taper::optimizer
#endif
