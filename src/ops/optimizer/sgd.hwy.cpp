#include "cpu/simd/targets.h"
#include "ops/optimizer/sgd_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/sgd.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::optimizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace tail = cpu::HWY_NAMESPACE;

// Multiply-adds are fused exactly where PyTorch's vector code fuses them (add with alpha), so that
// both produce the same bits on processors with fused multiply-add.
template <Momentum kMomentum, bool kDecay, class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
struct Step {
  D d;
  V minus_lr, momentum, gradient_factor, decay, sign;
  bool nesterov;

  Step(D tag, const SgdCoefficients<T>& o)
      : d(tag),
        minus_lr(hn::Set(d, o.minus_lr)),
        momentum(hn::Set(d, o.momentum)),
        gradient_factor(hn::Set(d, o.gradient_factor)),
        decay(hn::Set(d, o.weight_decay)),
        sign(hn::Set(d, o.maximize ? T(-0.0) : T(0.0))),
        nesterov(o.nesterov) {}

  HWY_INLINE void operator()(V& p, V g, V& b) const {
    g = hn::Xor(g, sign);
    if constexpr (kDecay) g = hn::MulAdd(p, decay, g);
    if constexpr (kMomentum != Momentum::none) {
      b = kMomentum == Momentum::first ? g : hn::MulAdd(g, gradient_factor, hn::Mul(b, momentum));
      g = nesterov ? hn::MulAdd(b, momentum, g) : b;
    }
    p = hn::MulAdd(g, minus_lr, p);
  }
};

template <Momentum kMomentum, bool kDecay, class T>
void Run(T* HWY_RESTRICT param, const T* HWY_RESTRICT grad, T* HWY_RESTRICT buffer, std::int64_t n,
         const SgdCoefficients<T>& coefficients) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Step<kMomentum, kDecay, decltype(d)> step(d, coefficients);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto p = hn::LoadU(d, param + i), b = hn::Zero(d);
    if constexpr (kMomentum == Momentum::next) b = hn::LoadU(d, buffer + i);
    step(p, hn::LoadU(d, grad + i), b);
    if constexpr (kMomentum != Momentum::none) hn::StoreU(b, d, buffer + i);
    hn::StoreU(p, d, param + i);
  }
  if (i == n) return;
  const auto rest = static_cast<std::size_t>(n - i);
  auto p = tail::load_n(d, param + i, rest), b = hn::Zero(d);
  if constexpr (kMomentum == Momentum::next) b = tail::load_n(d, buffer + i, rest);
  step(p, tail::load_n(d, grad + i, rest), b);
  if constexpr (kMomentum != Momentum::none) tail::store_n(b, d, buffer + i, rest);
  tail::store_n(p, d, param + i, rest);
}

template <Momentum kMomentum, class T>
void DispatchDecay(T* p, const T* g, T* b, std::int64_t n, const SgdCoefficients<T>& o) {
  o.weight_decay != 0 ? Run<kMomentum, true>(p, g, b, n, o) : Run<kMomentum, false>(p, g, b, n, o);
}

template <class T> void DispatchMomentum(T* p, const T* g, T* b, std::int64_t n, Momentum m,
                                         const SgdCoefficients<T>& o) {
  switch (m) {
    case Momentum::none: return DispatchDecay<Momentum::none>(p, g, b, n, o);
    case Momentum::first: return DispatchDecay<Momentum::first>(p, g, b, n, o);
    case Momentum::next: return DispatchDecay<Momentum::next>(p, g, b, n, o);
  }
}

void SgdF32(float* p, const float* g, float* b, std::int64_t n, Momentum m,
            const SgdCoefficients<float>& o) {
  DispatchMomentum(p, g, b, n, m, o);
}
void SgdF64(double* p, const double* g, double* b, std::int64_t n, Momentum m,
            const SgdCoefficients<double>& o) {
  DispatchMomentum(p, g, b, n, m, o);
}

}  // namespace taper::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::optimizer {

HWY_EXPORT(SgdF32);
HWY_EXPORT(SgdF64);

void sgd(float* param, const float* grad, float* buffer, std::int64_t n, Momentum momentum,
         const SgdCoefficients<float>& coefficients) {
  HWY_DYNAMIC_DISPATCH(SgdF32)(param, grad, buffer, n, momentum, coefficients);
}
void sgd(double* param, const double* grad, double* buffer, std::int64_t n, Momentum momentum,
         const SgdCoefficients<double>& coefficients) {
  HWY_DYNAMIC_DISPATCH(SgdF64)(param, grad, buffer, n, momentum, coefficients);
}

}  // namespace taper::optimizer
#endif
