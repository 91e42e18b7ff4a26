// Element functions of the strided reductions: one struct per fold.
//
//   kIdentity            result of an empty input
//   Init, Step, Join     vectors: initial state, adding an element, combining two states
//   Lanes                reduces a state to one number
//   One, Merge           scalar forms of Step and Join
//
// An extremum, marked by kIsExtremum, also has StepNumber, which may return any value for NaN.
#if defined(TAPER_OPS_REDUCE_FOLDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_REDUCE_FOLDS_INL_H_
#undef TAPER_OPS_REDUCE_FOLDS_INL_H_
#else
#define TAPER_OPS_REDUCE_FOLDS_INL_H_
#endif

#include <cmath>
#include <limits>

#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct SumBase {
  static constexpr double kIdentity = 0;
  template <class D> static hn::Vec<D> Init(D d) { return hn::Zero(d); }
  template <class V> static V Join(V a, V b) { return hn::Add(a, b); }
  template <class D> static double Lanes(D d, hn::Vec<D> a) {
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, a)));
  }
  static double Merge(double a, double b) { return a + b; }
};

struct Sum : SumBase {
  template <class D, class V> static V Step(D, V a, V x, V) { return hn::Add(a, x); }
  static double One(double x, double) { return x; }
};
struct SumAbs : SumBase {
  template <class D, class V> static V Step(D, V a, V x, V) { return hn::Add(a, hn::Abs(x)); }
  static double One(double x, double) { return std::abs(x); }
};
struct SumNonNan : SumBase {
  template <class D, class V> static V Step(D, V a, V x, V) {
    return hn::Add(a, hn::IfThenZeroElse(hn::IsNaN(x), x));
  }
  static double One(double x, double) { return std::isnan(x) ? 0 : x; }
};
struct Count : SumBase {
  template <class D, class V> static V Step(D d, V a, V x, V) {
    using T = hn::TFromD<D>;
    // Eq instead of Ne, which is false for NaN on some processors.
    return hn::Add(a, hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, T{1})));
  }
  static double One(double x, double) { return x != 0 ? 1 : 0; }
};
struct SumCentered : SumBase {
  template <class D, class V> static V Step(D, V a, V x, V c) { return hn::Add(a, hn::Sub(x, c)); }
  static double One(double x, double c) { return x - c; }
};
struct SumSquares : SumBase {
  template <class D, class V> static V Step(D, V a, V x, V c) {
    const auto e = hn::Sub(x, c);
    return hn::MulAdd(e, e, a);
  }
  static double One(double x, double c) { return (x - c) * (x - c); }
};
struct SumExp : SumBase {
  template <class D, class V> static V Step(D d, V a, V x, V c) {
    return hn::Add(a, cpu::HWY_NAMESPACE::vec_exp_nonpositive(d, hn::Sub(x, c)));
  }
  static double One(double x, double c) { return std::exp(x - c); }
};

struct Product {
  static constexpr double kIdentity = 1;
  template <class D> static hn::Vec<D> Init(D d) { return hn::Set(d, hn::TFromD<D>{1}); }
  template <class V> static V Join(V a, V b) { return hn::Mul(a, b); }
  template <class D, class V> static V Step(D, V a, V x, V) { return hn::Mul(a, x); }
  template <class D> static double Lanes(D d, hn::Vec<D> a) {
    HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
    hn::Store(a, d, lanes);
    double total = 1;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) total *= static_cast<double>(lanes[i]);
    return total;
  }
  static double One(double x, double) { return x; }
  static double Merge(double a, double b) { return a * b; }
};

// Tests for NaN explicitly, since comparisons with NaN are false.
struct Max {
  static constexpr bool kIsExtremum = true;
  static constexpr double kIdentity = -std::numeric_limits<double>::infinity();
  template <class D> static hn::Vec<D> Init(D d) {
    return hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
  }
  template <class V> static V Join(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
  }
  template <class D, class V> static V Step(D, V a, V x, V) { return Join(a, x); }
  template <class V> static V StepNumber(V a, V x) { return hn::Max(a, x); }
  template <class D> static double Lanes(D d, hn::Vec<D> a) {
    if (!hn::AllFalse(d, hn::IsNaN(a))) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, a)));
  }
  static double One(double x, double) { return x; }
  static double Merge(double a, double b) { return a > b || std::isnan(a) ? a : b; }
};
struct Min {
  static constexpr bool kIsExtremum = true;
  static constexpr double kIdentity = std::numeric_limits<double>::infinity();
  template <class D> static hn::Vec<D> Init(D d) {
    return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity());
  }
  template <class V> static V Join(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
  }
  template <class D, class V> static V Step(D, V a, V x, V) { return Join(a, x); }
  template <class V> static V StepNumber(V a, V x) { return hn::Min(a, x); }
  template <class D> static double Lanes(D d, hn::Vec<D> a) {
    if (!hn::AllFalse(d, hn::IsNaN(a))) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hn::GetLane(hn::MinOfLanes(d, a)));
  }
  static double One(double x, double) { return x; }
  static double Merge(double a, double b) { return a < b || std::isnan(a) ? a : b; }
};
struct MaxAbs : Max {
  static constexpr double kIdentity = 0;
  template <class D> static hn::Vec<D> Init(D d) { return hn::Zero(d); }
  template <class D, class V> static V Step(D, V a, V x, V) { return Join(a, hn::Abs(x)); }
  template <class V> static V StepNumber(V a, V x) { return hn::Max(a, hn::Abs(x)); }
  static double One(double x, double) { return std::abs(x); }
};

}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();
#endif
