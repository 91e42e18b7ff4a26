#include "cpu/simd/targets.h"
#include "ops/optimizer/kernels.h"
#include "taper/ops/optimizer_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/adam.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/optimizer/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {

template <class D, class V = hn::Vec<D>> struct AdamFormula {
  using Step = ops::AdamStep;
  Decay<D> decay;
  Lerp<D> average;
  AverageOfSquares<D> squares;
  V minus_step_size, root_factor, eps;
  bool amsgrad;

  AdamFormula(D d, const Step& o)
      : decay(d, o, o.lr, o.decoupled),
        average(d, 1 - o.beta1),
        squares(d, o.beta2),
        minus_step_size(constant(d, -(o.lr / o.bias_correction1))),
        root_factor(constant(d, o.bias_correction2_sqrt)),
        eps(constant(d, o.eps)),
        amsgrad(o.amsgrad) {}
  HWY_INLINE void operator()(V& p, V g, V& m, V& v, V& u) const {
    decay(p, g);
    m = average(m, g);
    v = squares(v, g);
    if (amsgrad) u = maximum(u, v);
    const V denominator = hn::Add(hn::Div(hn::Sqrt(amsgrad ? u : v), root_factor), eps);
    p = hn::Add(p, hn::Div(hn::Mul(minus_step_size, m), denominator));
  }
};

template <class D, class V = hn::Vec<D>> struct AdamaxFormula {
  using Step = ops::AdamaxStep;
  Decay<D> decay;
  Lerp<D> average;
  V beta2, minus_step_size, eps;

  AdamaxFormula(D d, const Step& o)
      : decay(d, o),
        average(d, 1 - o.beta1),
        beta2(constant(d, o.beta2)),
        minus_step_size(constant(d, -(o.lr / o.bias_correction))),
        eps(constant(d, o.eps)) {}
  HWY_INLINE void operator()(V& p, V g, V& m, V& u, V&) const {
    decay(p, g);
    m = average(m, g);
    u = maximum(hn::Mul(u, beta2), hn::Add(hn::Abs(g), eps));
    p = hn::Add(p, hn::Div(hn::Mul(minus_step_size, m), u));
  }
};

template <class D, class V = hn::Vec<D>> struct NAdamFormula {
  using Step = ops::NAdamStep;
  Decay<D> decay;
  Lerp<D> average;
  AverageOfSquares<D> squares;
  V bias_correction2, eps, minus_a, minus_b;

  NAdamFormula(D d, const Step& o)
      : decay(d, o, o.lr, o.decoupled),
        average(d, 1 - o.beta1),
        squares(d, o.beta2),
        bias_correction2(constant(d, o.bias_correction2)),
        eps(constant(d, o.eps)),
        minus_a(constant(d, -o.grad_factor)),
        minus_b(constant(d, -o.average_factor)) {}
  HWY_INLINE void operator()(V& p, V g, V& m, V& v, V&) const {
    decay(p, g);
    m = average(m, g);
    v = squares(v, g);
    const V denominator = hn::Add(hn::Sqrt(hn::Div(v, bias_correction2)), eps);
    p = hn::Add(p, hn::Div(hn::Mul(minus_a, g), denominator));
    p = hn::Add(p, hn::Div(hn::Mul(minus_b, m), denominator));
  }
};

template <class D, class V = hn::Vec<D>> struct RAdamFormula {
  using Step = ops::RAdamStep;
  Decay<D> decay;
  Lerp<D> average;
  AverageOfSquares<D> squares;
  V one, lr, bias_correction1, root_factor, rectification, eps;
  bool rectified;

  RAdamFormula(D d, const Step& o)
      : decay(d, o, o.lr, o.decoupled),
        average(d, 1 - o.beta1),
        squares(d, o.beta2),
        one(constant(d, 1)),
        lr(constant(d, o.lr)),
        bias_correction1(constant(d, o.bias_correction1)),
        root_factor(constant(d, o.bias_correction2_sqrt)),
        rectification(constant(d, o.rectification)),
        eps(constant(d, o.eps)),
        rectified(o.rectification > 0) {}
  HWY_INLINE void operator()(V& p, V g, V& m, V& v, V&) const {
    decay(p, g);
    m = average(m, g);
    v = squares(v, g);
    V update = hn::Mul(hn::Div(m, bias_correction1), lr);
    if (rectified) {
      const V adaptive = hn::Mul(hn::Div(one, hn::Add(hn::Sqrt(v), eps)), root_factor);
      update = hn::Mul(hn::Mul(update, adaptive), rectification);
    }
    p = hn::Sub(p, update);
  }
};

void AdamF32(const Elements<float>& e, const void* step) { run_elements<AdamFormula>(e, step); }
void AdamF64(const Elements<double>& e, const void* step) { run_elements<AdamFormula>(e, step); }
void AdamaxF32(const Elements<float>& e, const void* step) { run_elements<AdamaxFormula>(e, step); }
void AdamaxF64(const Elements<double>& e, const void* step) {
  run_elements<AdamaxFormula>(e, step);
}
void NAdamF32(const Elements<float>& e, const void* step) { run_elements<NAdamFormula>(e, step); }
void NAdamF64(const Elements<double>& e, const void* step) { run_elements<NAdamFormula>(e, step); }
void RAdamF32(const Elements<float>& e, const void* step) { run_elements<RAdamFormula>(e, step); }
void RAdamF64(const Elements<double>& e, const void* step) { run_elements<RAdamFormula>(e, step); }

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::optimizer {

HWY_EXPORT(AdamF32);
HWY_EXPORT(AdamF64);
HWY_EXPORT(AdamaxF32);
HWY_EXPORT(AdamaxF64);
HWY_EXPORT(NAdamF32);
HWY_EXPORT(NAdamF64);
HWY_EXPORT(RAdamF32);
HWY_EXPORT(RAdamF64);

const Kernel kAdam{[](const Elements<float>& e, const void* step) {
                     HWY_DYNAMIC_DISPATCH(AdamF32)
                     (e, step);
                   },
                   [](const Elements<double>& e, const void* step) {
                     HWY_DYNAMIC_DISPATCH(AdamF64)
                     (e, step);
                   }};
const Kernel kAdamax{[](const Elements<float>& e, const void* step) {
                       HWY_DYNAMIC_DISPATCH(AdamaxF32)
                       (e, step);
                     },
                     [](const Elements<double>& e, const void* step) {
                       HWY_DYNAMIC_DISPATCH(AdamaxF64)
                       (e, step);
                     }};
const Kernel kNAdam{[](const Elements<float>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(NAdamF32)
                      (e, step);
                    },
                    [](const Elements<double>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(NAdamF64)
                      (e, step);
                    }};
const Kernel kRAdam{[](const Elements<float>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(RAdamF32)
                      (e, step);
                    },
                    [](const Elements<double>& e, const void* step) {
                      HWY_DYNAMIC_DISPATCH(RAdamF64)
                      (e, step);
                    }};

}  // namespace taper::optimizer
#endif
