// Compares vector mathematics with the C library in wider precision, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_math_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

template <class T, class F> void map(const T* x, T* y, std::size_t n, F&& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
  store_n(f(d, load_n(d, x + i, n - i)), d, y + i, n - i);
}

#define TAPER_MAP(name)                                              \
  void run_##name##_f32(const float* x, float* y, std::size_t n) {   \
    map(x, y, n, [](auto d, auto v) { return vec_##name(d, v); });   \
  }                                                                  \
  void run_##name##_f64(const double* x, double* y, std::size_t n) { \
    map(x, y, n, [](auto d, auto v) { return vec_##name(d, v); });   \
  }
TAPER_MAP(exp)
TAPER_MAP(exp_nonpositive)
TAPER_MAP(expm1)
TAPER_MAP(log)
TAPER_MAP(log1p)
TAPER_MAP(log1p_exp)
TAPER_MAP(tanh)
TAPER_MAP(sigmoid)
TAPER_MAP(erf)
#undef TAPER_MAP

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/targets.h"
#include "support/sampling.h"

namespace taper::cpu {
namespace {

#define TAPER_CALL(name)                                        \
  HWY_EXPORT(run_##name##_f32);                                 \
  HWY_EXPORT(run_##name##_f64);                                 \
  void call_##name(const float* x, float* y, std::size_t n) {   \
    HWY_DYNAMIC_DISPATCH(run_##name##_f32)(x, y, n);            \
  }                                                             \
  void call_##name(const double* x, double* y, std::size_t n) { \
    HWY_DYNAMIC_DISPATCH(run_##name##_f64)(x, y, n);            \
  }
TAPER_CALL(exp)
TAPER_CALL(exp_nonpositive)
TAPER_CALL(expm1)
TAPER_CALL(log)
TAPER_CALL(log1p)
TAPER_CALL(log1p_exp)
TAPER_CALL(tanh)
TAPER_CALL(sigmoid)
TAPER_CALL(erf)
#undef TAPER_CALL

// Returns the distance between a result and the exact value, in units in the last place of the
// result type.
template <class T, class W> double ulps(T got, W want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) == std::isnan(got) ? 0 : 1e30;
  if (got == rounded) return 0;
  if (std::isinf(rounded) || std::isinf(got)) return 1e30;
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  W unit = static_cast<W>(next) - static_cast<W>(std::fabs(rounded));
  if (std::isinf(next))
    unit = static_cast<W>(std::fabs(rounded)) -
           static_cast<W>(std::nextafter(std::fabs(rounded), T{0}));
  return static_cast<double>(std::fabs(static_cast<W>(got) - want) / unit);
}

// Returns values of all exponents and both signs, and the special values.
template <class T> std::vector<T> samples() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> v{T{0},
                   -T{0},
                   inf,
                   -inf,
                   std::numeric_limits<T>::quiet_NaN(),
                   T{1},
                   T{-1},
                   std::numeric_limits<T>::min(),
                   std::numeric_limits<T>::max(),
                   std::numeric_limits<T>::lowest(),
                   std::numeric_limits<T>::denorm_min()};
  if constexpr (sizeof(T) == 4) {
    for (std::uint64_t b = 0; b < (1ULL << 32); b += 14009)
      v.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  } else {
    for (std::uint64_t b = 0; b < (1ULL << 18); ++b)
      v.push_back(std::bit_cast<double>(b * 70364449210369ULL));
  }
  for (int i = -80000; i <= 80000; ++i) v.push_back(static_cast<T>(i * 0.0011));
  for (int i = -80000; i <= 80000; ++i) v.push_back(static_cast<T>(i * 0.0000511));
  for (int i = -8000; i <= 8000; ++i) v.push_back(static_cast<T>(i * 0.0937));
  for (int i = -8000; i <= 8000; ++i)
    v.push_back(static_cast<T>(1) + static_cast<T>(i) * std::numeric_limits<T>::epsilon());
  return v;
}

template <class T, class Call, class Exact>
void compare(Call call, Exact exact, double limit_fused, double limit_unfused) {
  using W = std::conditional_t<sizeof(T) == 4, double, long double>;
  std::vector<T> x = samples<T>();
  test::Sample sample(7);
  std::erase_if(x, [&](T) { return !sample.next(); });
  std::vector<T> y(x.size());
  std::vector<W> want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) want[i] = exact(static_cast<W>(x[i]));
  test::for_each_target([&] {
    call(x.data(), y.data(), x.size());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double e = ulps(y[i], want[i]); e > worst) worst = e, at = i;
    const bool fused = (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) != 0;
    EXPECT_LE(worst, fused ? limit_fused : limit_unfused)
        << "x " << x[at] << " got " << y[at] << " want " << want[at];
  });
}

/// Returns 0 where e^-x overflows in the type of the lanes, of which W has more than the digits.
template <class W> W sigmoid(W x) {
  using T = std::conditional_t<sizeof(W) == sizeof(double), float, double>;
  const W power = std::exp(-x);
  return power > static_cast<W>(std::numeric_limits<T>::max()) ? 0 : 1 / (1 + power);
}

#define TAPER_COMPARE(Name, call, exact, fused, unfused)                                          \
  TEST(SimdMath, Name##F32IsWithinUlps) {                                                         \
    compare<float>([](auto... a) { call(a...); }, [](auto x) { return exact; }, fused, unfused);  \
  }                                                                                               \
  TEST(SimdMath, Name##F64IsWithinUlps) {                                                         \
    compare<double>([](auto... a) { call(a...); }, [](auto x) { return exact; }, fused, unfused); \
  }
TAPER_COMPARE(Exp, call_exp, std::exp(x), 1.01, 1.01)
TAPER_COMPARE(Expm1, call_expm1, std::expm1(x), 2.0, 2.0)
TAPER_COMPARE(Log, call_log, std::log(x), 1.01, 1.01)
TAPER_COMPARE(Log1p, call_log1p, std::log1p(x), 2.0, 2.0)
TAPER_COMPARE(Tanh, call_tanh, std::tanh(x), 2.5, 2.5)
TAPER_COMPARE(Log1pExp, call_log1p_exp, std::log1p(std::exp(-std::fabs(x))), 2.0, 2.0)
TAPER_COMPARE(Sigmoid, call_sigmoid, sigmoid(x), 2.5, 2.5)
TAPER_COMPARE(Erf, call_erf, std::erf(x), 2.0, 2.0)
#undef TAPER_COMPARE

template <class T> void check_exp_nonpositive() {
  std::vector<T> x, y;
  for (int i = 0; i < 67000; ++i) x.push_back(static_cast<T>(i * -0.0013));
  x.push_back(static_cast<T>(sizeof(T) == 4 ? -90 : -709));
  x.push_back(-std::numeric_limits<T>::infinity());
  x.push_back(std::numeric_limits<T>::quiet_NaN());
  y.resize(x.size());
  test::for_each_target([&] {
    call_exp_nonpositive(x.data(), y.data(), x.size());
    for (std::size_t i = 0; i + 3 < x.size(); ++i) {
      using W = std::conditional_t<sizeof(T) == 4, double, long double>;
      ASSERT_LE(ulps(y[i], std::exp(static_cast<W>(x[i]))), 1.01) << x[i];
    }
    EXPECT_EQ(y[y.size() - 3], T{0});
    EXPECT_EQ(y[y.size() - 2], T{0});
    EXPECT_TRUE(std::isnan(y.back()));
  });
}
TEST(SimdMath, ExpNonpositiveF32IsWithinUlps) { check_exp_nonpositive<float>(); }
TEST(SimdMath, ExpNonpositiveF64IsWithinUlps) { check_exp_nonpositive<double>(); }

TEST(SimdMath, TailsAccessOnlyTheirElements) {
  // The input has exactly n values, so that sanitizers detect any access beyond them. The output
  // has a guard value on each side.
  test::for_each_target([&] {
    for (std::size_t n = 0; n < 70; ++n) {
      std::vector<float> x(n, 1.0f), y(n + 2, -7.0f);
      call_exp(x.data(), y.data() + 1, n);
      EXPECT_EQ(y.front(), -7.0f);
      EXPECT_EQ(y.back(), -7.0f);
      for (std::size_t i = 1; i <= n; ++i) EXPECT_NEAR(y[i], 2.7182818f, 1e-6f);
    }
  });
}

}  // namespace
}  // namespace taper::cpu
#endif
