// Compares elementary functions of float32 with the C library in double, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/targets.h"
#include "ops/pointwise/elements.h"
#include "ops/pointwise/special_math.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/special.h"

namespace {

using namespace taper;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Zeros, infinities, NaN, the smallest and the largest numbers, and numbers of both signs.
std::vector<float> operands() {
  std::vector<float> all;
  for (const double x : {0.0, 1e-45, 1.5e-38, 3e-20, 1e-3, 0.3, 0.999, 1.0, 1.001, 1.5, 7.0, 40.0,
                         1e4, 3e19, 3.4e38, kInf})
    for (const double sign : {1.0, -1.0}) all.push_back(static_cast<float>(sign * x));
  all.push_back(std::numeric_limits<float>::quiet_NaN());
  return all;
}

/// Distance of `actual` from `expected` in units of the last place of float; 0 if both are NaN,
/// infinite or zero with the same sign.
/// The unit is that of `scale` if it is larger.
double ulps(float actual, double expected, float scale = 0) {
  if (std::isnan(expected)) return std::isnan(actual) ? 0 : kInf;
  const auto rounded = static_cast<float>(expected);
  if (rounded == actual) return std::signbit(rounded) == std::signbit(actual) ? 0 : kInf;
  const float larger = std::max(std::abs(rounded), scale);
  const double unit = static_cast<double>(std::nextafter(larger, INFINITY)) - larger;
  return std::abs(actual - expected) / unit;
}

/// The units are at least those of `scale`.
template <class Op, class Reference>
void expect_unary(const char* name, Op op, Reference reference, double limit,
                  const std::vector<float>& more = {}, float scale = 0) {
  std::vector<float> x = operands();
  x.insert(x.end(), more.begin(), more.end());
  test::for_each_target([&] {
    const Tensor result = op(tensor(x));
    const auto y = result.template data<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(ulps(y[i], reference(static_cast<double>(x[i])), scale), limit)
          << name << "(" << x[i] << ") = " << y[i];
  });
}

/// Returns `n` equidistant numbers from `first` to `last`.
std::vector<float> numbers_between(double first, double last, int n) {
  std::vector<float> numbers;
  for (int i = 0; i < n; ++i)
    numbers.push_back(static_cast<float>(first + (last - first) * i / (n - 1)));
  return numbers;
}

/// With `of_operands`, the units are those of the larger operand, which cancels a logarithm.
template <class Op, class Reference> void expect_binary(const char* name, Op op,
                                                        Reference reference, double limit,
                                                        bool of_operands = false) {
  std::vector<float> a, b;
  for (const float x : operands())
    for (const float y : operands()) a.push_back(x), b.push_back(y);
  test::for_each_target([&] {
    const Tensor result = op(tensor(a), tensor(b));
    const auto y = result.template data<float>();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_LE(ulps(y[i], reference(static_cast<double>(a[i]), static_cast<double>(b[i])),
                     of_operands ? std::max(std::abs(a[i]), std::abs(b[i])) : 0),
                limit)
          << name << "(" << a[i] << ", " << b[i] << ") = " << y[i];
  });
}

TEST(ElementaryKernels, InverseHyperbolicFunctions) {
  expect_unary(
      "acosh", [](const Tensor& x) { return x.acosh(); }, [](double x) { return std::acosh(x); },
      1);
  expect_unary(
      "asinh", [](const Tensor& x) { return x.asinh(); }, [](double x) { return std::asinh(x); },
      1);
  expect_unary(
      "atanh", [](const Tensor& x) { return x.atanh(); }, [](double x) { return std::atanh(x); },
      1);
}

TEST(ElementaryKernels, GammaFunctions) {
  std::vector<float> x = numbers_between(-20.3, 20, 4000);
  // Both functions have roots here, and poles at 0, -1, ...
  for (const double root : {1.0, 2.0, 1.4616321, -2.4570247, -2.7476827, -0.5040830, -3.0, 0.0})
    for (int i = -20; i <= 20; ++i) x.push_back(static_cast<float>(root + i * 0x1p-23));
  expect_unary(
      "lgamma", [](const Tensor& v) { return v.lgamma(); }, special_math::lgamma, 1, x);
  expect_unary(
      "digamma", [](const Tensor& v) { return v.digamma(); }, special_math::digamma, 1, x);
}

TEST(ElementaryKernels, ComplementaryErrorFunction) {
  std::vector<float> x = numbers_between(-6, 11, 4001);
  for (int i = 1; i < 60; ++i) x.push_back(std::ldexp(i % 2 ? 1.1f : -1.3f, -i));
  expect_unary(
      "erfc", [](const Tensor& v) { return v.erfc(); }, [](double v) { return std::erfc(v); }, 0.51,
      x);
}

TEST(ElementaryKernels, InverseErrorFunction) {
  std::vector<float> x = numbers_between(-1, 1, 40'001);
  for (int i = 1; i < 20; ++i) x.push_back(static_cast<float>(1 - i * 0x1p-24));
  expect_unary(
      "erfinv", [](const Tensor& v) { return v.erfinv(); }, special_math::erfinv, 2, x);
}

TEST(ElementaryKernels, ModifiedBesselFunctions) {
  std::vector<float> x = numbers_between(-100, 100, 4001);
  for (const double limit : {0.01, 2.0, 8.0, 30.0})  // the polynomials change at 2 and 8
    for (const float v : numbers_between(0.99 * limit, 1.01 * limit, 101)) x.push_back(v);
  const auto compare = [&](const char* name, Tensor (*op)(const Tensor&), double (*exact)(double)) {
    expect_unary(name, op, exact, 1, x);
  };
  compare("i0", special::i0, special_math::modified_i0);
  compare("i1", special::i1, special_math::modified_i1);
  compare("i0e", special::i0e, special_math::i0e);
  compare("i1e", special::i1e, special_math::i1e);
  compare("modified_bessel_i0", special::modified_bessel_i0, special_math::modified_i0);
  compare("modified_bessel_i1", special::modified_bessel_i1, special_math::modified_i1);
  compare("k0", special::modified_bessel_k0, special_math::bessel_k0);
  compare("k1", special::modified_bessel_k1, special_math::bessel_k1);
  compare("k0e", special::scaled_modified_bessel_k0, special_math::bessel_k0e);
  compare("k1e", special::scaled_modified_bessel_k1, special_math::bessel_k1e);
}

TEST(ElementaryKernels, NormalDistribution) {
  std::vector<float> x = numbers_between(-30, 30, 6001);
  for (int i = 1; i < 60; ++i) x.push_back(std::ldexp(i % 2 ? 1.1f : -1.3f, -i));
  expect_unary("erfcx", special::erfcx, special_math::erfcx, 1, x);
  expect_unary("ndtr", special::ndtr, special_math::ndtr, 1, x);
  expect_unary("log_ndtr", special::log_ndtr, special_math::log_ndtr, 1, x);
}

TEST(ElementaryKernels, BesselFunctions) {
  const std::vector<float> x = numbers_between(-30, 30, 6001);
  // The functions are 0 at roots that float cannot represent. Those of float are of a rounded phase
  // beyond 25.
  const auto compare = [&](const char* name, Tensor (*op)(const Tensor&), double (*exact)(double),
                           float (*far)(float)) {
    expect_unary(
        name, op,
        [=](double v) {
          return std::abs(v) <= 25 ? exact(v) : static_cast<double>(far(static_cast<float>(v)));
        },
        1, x, 0.01f);
  };
  compare("j0", special::bessel_j0, special_math::bessel_j0, special_math::bessel_j0);
  compare("j1", special::bessel_j1, special_math::bessel_j1, special_math::bessel_j1);
  compare("y0", special::bessel_y0, special_math::bessel_y0, special_math::bessel_y0);
  compare("y1", special::bessel_y1, special_math::bessel_y1, special_math::bessel_y1);
}

TEST(ElementaryKernels, FunctionsOfTwoNumbers) {
  expect_binary(
      "atan2", [](const Tensor& a, const Tensor& b) { return atan2(a, b); },
      [](double a, double b) { return std::atan2(a, b); }, 1);
  expect_binary(
      "hypot", [](const Tensor& a, const Tensor& b) { return hypot(a, b); },
      [](double a, double b) { return std::hypot(a, b); }, 1);
  expect_binary(
      "pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); },
      [](double a, double b) { return std::pow(a, b); }, 1);
  expect_binary(
      "fmod", [](const Tensor& a, const Tensor& b) { return fmod(a, b); },
      [](double a, double b) { return std::fmod(a, b); }, 0);
  const auto in_float = [](auto function) {
    return [function](double a, double b) {
      return static_cast<double>(function(static_cast<float>(a), static_cast<float>(b)));
    };
  };
  expect_binary(
      "remainder", [](const Tensor& a, const Tensor& b) { return remainder(a, b); },
      in_float([](float a, float b) { return kernel::remainder(a, b); }), 0);
  expect_binary(
      "floor_divide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); },
      in_float([](float a, float b) { return kernel::floor_div(a, b); }), 0);
  expect_binary(
      "nextafter", [](const Tensor& a, const Tensor& b) { return nextafter(a, b); },
      in_float([](float a, float b) { return std::nextafter(a, b); }), 0);
  expect_binary(
      "xlogy", [](const Tensor& a, const Tensor& b) { return xlogy(a, b); },
      [](double a, double b) { return std::isnan(b) ? b
                                      : a == 0      ? 0
                                                    : a * std::log(b); }, 3);
}

TEST(ElementaryKernels, LogarithmsOfSums) {
  const auto sum = [](double a, double b, double base) {
    if (a == b) return a + std::log(2) / std::log(base);
    return std::isnan(a)
               ? a
               : std::max(a, b) + std::log1p(std::pow(base, -std::abs(a - b))) / std::log(base);
  };
  expect_binary(
      "logaddexp", [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); },
      [&](double a, double b) { return sum(a, b, std::exp(1.0)); }, 4, true);
  expect_binary(
      "logaddexp2", [](const Tensor& a, const Tensor& b) { return logaddexp2(a, b); },
      [&](double a, double b) { return sum(a, b, 2); }, 4, true);
}

}  // namespace
