// Compares sin, cos and tan with the C library in wider precision, on every instruction set.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/targets.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Returns the error of a finite result in units in the last place of T.
template <class T, class W> double ulps_of(T got, W exact) {
  int exponent = 0;
  std::frexp(static_cast<T>(exact), &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const W unit = std::ldexp(W{1}, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<W>(got) - exact) / unit);
}

/// Returns arguments of all exponents, near the multiples of pi / 2, where cancellation occurs, and
/// near the end of the range of the vector kernel.
template <class T> std::vector<T> angles() {
  std::vector<T> x;
  for (int i = -60000; i <= 60000; ++i) x.push_back(static_cast<T>(i * 0.7071));
  for (int i = 1; i <= 25000; ++i) {
    const auto zero = static_cast<T>(i * std::numbers::pi / 2);
    for (const T v :
         {zero, std::nextafter(zero, T{0}), -std::nextafter(zero, std::numeric_limits<T>::max())})
      x.push_back(v);
  }
  for (int i = -500; i <= 500; ++i) x.push_back(static_cast<T>(0x1p30 + i * 128.0));
  for (int i = 1; i <= 1000; ++i) x.push_back(static_cast<T>(i * 1e6 * std::numbers::pi / 2));
  for (int exponent = -140; exponent < 100; ++exponent)
    for (const double fraction : {1.0, 1.3, -1.7})
      x.push_back(static_cast<T>(std::ldexp(fraction, exponent)));
  return x;
}

/// Expects errors of at most `limit` ulp, and of at most `rounded` ulp on targets with a vector
/// kernel for arguments in its range.
template <class T, class F, class Exact>
void check_angles(const F& function, const Exact& exact, double limit, double rounded) {
  using W = std::conditional_t<sizeof(T) == 4, double, long double>;
  const std::vector<T> x = angles<T>();
  const Tensor input = tensor(x);
  test::for_each_target([&] {
    const Tensor y = function(input);
    const bool wide = (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) != 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(ulps_of(y.data<T>()[i], exact(static_cast<W>(x[i]))),
                wide && std::fabs(x[i]) < static_cast<T>(0x1p30) ? rounded : limit)
          << "x " << x[i] << " got " << y.data<T>()[i];
  });
}

// With AVX2, floats are computed in double, so that the result is the rounded exact value. The C
// library computes all other results, with errors of up to 0.561 ulp, 1.08 of tan. 1.08 of tan.
TEST(Sin, RoundsExactValue) {
  const auto sine = [](const Tensor& x) { return x.sin(); };
  const auto cosine = [](const Tensor& x) { return x.cos(); };
  const auto exact_sine = [](auto x) { return std::sin(x); };
  const auto exact_cosine = [](auto x) { return std::cos(x); };
  check_angles<float>(sine, exact_sine, 0.57, 0.5001);
  check_angles<float>(cosine, exact_cosine, 0.57, 0.5001);
  check_angles<float>([](const Tensor& x) { return x.tan(); }, [](auto x) { return std::tan(x); },
                      1.1, 0.5001);
  check_angles<double>(sine, exact_sine, 0.57, 0.57);
  check_angles<double>(cosine, exact_cosine, 0.57, 0.57);
}

TEST(Sin, PreservesSignOfZeroAndReturnsNaNForInfinity) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{-0.f, 0.f, kInf, -kInf, std::nanf(""), 1.f, 2.f, 3.f, 4.f, -0.f};
  test::for_each_target([&] {
    const Tensor sines = tensor(x).sin(), cosines = tensor(x).cos(), tangents = tensor(x).tan();
    const auto y = sines.data<float>(), z = cosines.data<float>(), t = tangents.data<float>();
    EXPECT_TRUE(std::signbit(t[0]) && t[0] == 0 && std::isnan(t[2]) && std::isnan(t[4]));
    EXPECT_TRUE(std::signbit(y[0]) && y[0] == 0 && std::signbit(y[9]) && y[9] == 0);
    EXPECT_TRUE(!std::signbit(y[1]) && y[1] == 0);
    EXPECT_EQ(z[0], 1);
    for (const std::size_t i : {2u, 3u, 4u}) EXPECT_TRUE(std::isnan(y[i]) && std::isnan(z[i]));
    EXPECT_EQ(y[5], std::sin(1.f));
  });
}

}  // namespace
}  // namespace taper
