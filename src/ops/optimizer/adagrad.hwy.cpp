#include "cpu/simd/targets.h"
#include "ops/optimizer/kernels.h"
#include "taper/ops/optimizer_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/adagrad.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/optimizer/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {

template <class D, class V = hn::Vec<D>> struct RMSpropFormula {
  using Step = ops::RMSpropStep;
  Decay<D> decay;
  Lerp<D> average;
  AverageOfSquares<D> squares;
  V minus_lr, momentum, eps;
  bool centered, with_momentum;

  RMSpropFormula(D d, const Step& o)
      : decay(d, o),
        average(d, 1 - o.alpha),
        squares(d, o.alpha),
        minus_lr(constant(d, -o.lr)),
        momentum(constant(d, o.momentum)),
        eps(constant(d, o.eps)),
        centered(o.centered),
        with_momentum(o.momentum > 0) {}
  HWY_INLINE void operator()(V& p, V g, V& v, V& b, V& a) const {
    decay(p, g);
    v = squares(v, g);
    V variance = v;
    if (centered) {
      a = average(a, g);
      variance = hn::Sub(v, hn::Mul(a, a));
    }
    const V denominator = hn::Add(hn::Sqrt(variance), eps);
    if (with_momentum) {
      b = hn::Add(hn::Mul(b, momentum), hn::Div(g, denominator));
      p = hn::MulAdd(b, minus_lr, p);
    } else {
      p = hn::Add(p, hn::Div(hn::Mul(minus_lr, g), denominator));
    }
  }
};

template <class D, class V = hn::Vec<D>> struct AdagradFormula {
  using Step = ops::AdagradStep;
  Decay<D> decay;
  V minus_lr, eps;

  AdagradFormula(D d, const Step& o)
      : decay(d, o), minus_lr(constant(d, -o.lr)), eps(constant(d, o.eps)) {}
  HWY_INLINE void operator()(V& p, V g, V& s, V&, V&) const {
    decay(p, g);
    s = hn::Add(s, hn::Mul(g, g));
    p = hn::Add(p, hn::Div(hn::Mul(minus_lr, g), hn::Add(hn::Sqrt(s), eps)));
  }
};

template <class D, class V = hn::Vec<D>> struct AdadeltaFormula {
  using Step = ops::AdadeltaStep;
  Decay<D> decay;
  AverageOfSquares<D> squares;
  V minus_lr, eps;

  AdadeltaFormula(D d, const Step& o)
      : decay(d, o), squares(d, o.rho), minus_lr(constant(d, -o.lr)), eps(constant(d, o.eps)) {}
  HWY_INLINE void operator()(V& p, V g, V& v, V& u, V&) const {
    decay(p, g);
    v = squares(v, g);
    const V root = hn::Sqrt(hn::Add(v, eps));
    const V delta = hn::Mul(hn::Div(hn::Sqrt(hn::Add(u, eps)), root), g);
    u = squares(u, delta);
    p = hn::MulAdd(delta, minus_lr, p);
  }
};

void RMSpropF32(const Elements<float>& e, const void* step) {
  run_elements<RMSpropFormula>(e, step);
}
void RMSpropF64(const Elements<double>& e, const void* step) {
  run_elements<RMSpropFormula>(e, step);
}
void AdagradF32(const Elements<float>& e, const void* step) {
  run_elements<AdagradFormula>(e, step);
}
void AdagradF64(const Elements<double>& e, const void* step) {
  run_elements<AdagradFormula>(e, step);
}
void AdadeltaF32(const Elements<float>& e, const void* step) {
  run_elements<AdadeltaFormula>(e, step);
}
void AdadeltaF64(const Elements<double>& e, const void* step) {
  run_elements<AdadeltaFormula>(e, step);
}

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::optimizer {

HWY_EXPORT(RMSpropF32);
HWY_EXPORT(RMSpropF64);
HWY_EXPORT(AdagradF32);
HWY_EXPORT(AdagradF64);
HWY_EXPORT(AdadeltaF32);
HWY_EXPORT(AdadeltaF64);

const Kernel kRMSprop{[](const Elements<float>& e, const void* step) {
                        HWY_DYNAMIC_DISPATCH(RMSpropF32)
                        (e, step);
                      },
                      [](const Elements<double>& e, const void* step) {
                        HWY_DYNAMIC_DISPATCH(RMSpropF64)
                        (e, step);
                      }};
const Kernel kAdagrad{[](const Elements<float>& e, const void* step) {
                        HWY_DYNAMIC_DISPATCH(AdagradF32)
                        (e, step);
                      },
                      [](const Elements<double>& e, const void* step) {
                        HWY_DYNAMIC_DISPATCH(AdagradF64)
                        (e, step);
                      }};
const Kernel kAdadelta{[](const Elements<float>& e, const void* step) {
                         HWY_DYNAMIC_DISPATCH(AdadeltaF32)(e, step);
                       },
                       [](const Elements<double>& e, const void* step) {
                         HWY_DYNAMIC_DISPATCH(AdadeltaF64)(e, step);
                       }};

}  // namespace taper::optimizer
#endif
