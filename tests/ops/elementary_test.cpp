#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace {

using namespace taper;
using taper::test::error_text;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const TensorOptions kDouble{.dtype = float64};

/// Returns whether the elements are equal, or both NaN.
bool same(const Tensor& a, const Tensor& b) { return allclose(a, b, 0, 0, true); }

TEST(Elementary, SpecialValuesAsInPyTorch) {
  const Tensor x = tensor({-kInf, -2.0, -0.0, 1.0, kInf, kNaN}, kDouble);
  EXPECT_TRUE(same(x.acos().isnan(), tensor({true, true, false, false, true, true})));
  EXPECT_TRUE(same(x.atan()[{Slice{4, 5}}], tensor({std::atan(kInf)}, kDouble)));
  EXPECT_TRUE(same(x.exp2(), tensor({0.0, 0.25, 1.0, 2.0, kInf, kNaN}, kDouble)));
  EXPECT_TRUE(same(x.log2(), tensor({kNaN, kNaN, -kInf, 0.0, kInf, kNaN}, kDouble)));
  EXPECT_TRUE(same(x.cosh().isinf(), tensor({true, false, false, false, true, false})));
  EXPECT_TRUE(same(x.sgn(), tensor({-1.0, -1.0, 0.0, 1.0, 1.0, 0.0}, kDouble)));
  EXPECT_TRUE(same(x.signbit(), tensor({true, true, true, false, false, false})));
  EXPECT_TRUE(same(x.isneginf(), tensor({true, false, false, false, false, false})));
  EXPECT_TRUE(same(x.angle(), tensor({M_PI, M_PI, 0.0, 0.0, 0.0, kNaN}, kDouble)));
  EXPECT_TRUE(same(x.lgamma(), tensor({kInf, kInf, kInf, 0.0, kInf, kNaN}, kDouble)));
  EXPECT_TRUE(same(x.digamma().isnan(), tensor({true, true, false, false, false, true})));
  const Tensor erfc_values =
      tensor({2.0, std::erfc(-2.0), 1.0, std::erfc(1.0), 0.0, kNaN}, kDouble);
  EXPECT_TRUE(allclose(x.erfc(), erfc_values, 1e-15, 0, true));
  EXPECT_FALSE(tensor({-1}, {.dtype = int8}).signbit().logical_not().item<bool>());
}

TEST(Elementary, PolygammaOfLargeNegativeArgumentsReturns) {
  // The reflection formula replaces 10^15 terms of the sum.
  const Tensor x = tensor({-1e15 + 0.5, -1000.25}, kDouble);
  EXPECT_TRUE(allclose(polygamma(1, x)[{Slice{0, 1}}], tensor({M_PI * M_PI}, kDouble)));
  EXPECT_TRUE(polygamma(2, x).isfinite().all().item<bool>());
  EXPECT_THROW(polygamma(-1, x), ValueError);
}

TEST(NanToNum, ReplacesByLimitsOfTheDtype) {
  const Tensor x = tensor({kNaN, kInf, -kInf, 1.5});
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_TRUE(same(x.nan_to_num(), tensor({0.f, largest, -largest, 1.5f})));
  EXPECT_TRUE(same(nan_to_num(x, 2, 3), tensor({2.f, 3.f, -largest, 1.5f})));
  EXPECT_EQ(x.to(float16).nan_to_num()[1].item<double>(), 65504);
  EXPECT_TRUE(nan_to_num_(x, 7, 8, 9).is_same(x));
  EXPECT_TRUE(same(x, tensor({7.0, 8.0, 9.0, 1.5})));
}

TEST(RoundDecimals, RoundsTiesToEven) {
  const Tensor x = tensor({0.125, 15.0, 25.0, -0.375}, kDouble);
  EXPECT_TRUE(same(x.round(2), tensor({0.12, 15.0, 25.0, -0.38}, kDouble)));
  EXPECT_TRUE(same(round(x, -1), tensor({0.0, 20.0, 20.0, 0.0}, kDouble)));
  EXPECT_THROW(tensor({1}).round(1), NotImplementedError);
}

TEST(Representation, FrexpAndNextafter) {
  const auto [mantissa, exponent] = frexp(tensor({8.0, -0.75, 0.0, kInf}));
  EXPECT_TRUE(same(mantissa, tensor({0.5, -0.75, 0.0, kInf})));
  EXPECT_TRUE(same(exponent, tensor({4, 0, 0, 0}, {.dtype = int32})));
  EXPECT_EQ(tensor(1.0).nextafter(tensor(2.0)).item<float>(), std::nextafter(1.f, 2.f));
  for (const DType dtype : {float16, bfloat16}) {
    const TensorOptions options{.dtype = dtype};
    const double step = dtype == float16 ? 0x1p-10 : 0x1p-7;
    EXPECT_EQ(tensor(1.0, options).nextafter(tensor(2.0, options)).item<double>(), 1 + step);
    EXPECT_EQ(tensor(1.0, options).nextafter(tensor(-kInf, options)).item<double>(), 1 - step / 2);
    const double least = tensor(0.0, options).nextafter(tensor(-1.0, options)).item<double>();
    EXPECT_EQ(least, dtype == float16 ? -0x1p-24 : -0x1p-133);
    EXPECT_TRUE(std::isnan(tensor(kNaN, options).nextafter(tensor(1.0, options)).item<double>()));
  }
}

TEST(IntegerFunctions, GcdAndLcm) {
  const Tensor a = tensor({12, -8, 0, 0}), b = tensor({18, 12, 5, 0});
  EXPECT_TRUE(equal(gcd(a, b), tensor({6, 4, 5, 0})));
  EXPECT_TRUE(equal(lcm(a, b), tensor({36, 24, 0, 0})));
  EXPECT_THROW(gcd(ones({1}), ones({1})), NotImplementedError);
}

TEST(Heaviside, RequiresEqualDtypes) {
  EXPECT_TRUE(equal(heaviside(tensor({-1.0, 0.0, 2.0}), tensor(0.5)), tensor({0.0, 0.5, 1.0})));
  EXPECT_EQ(error_text<DTypeError>([] { heaviside(ones({1}), ones({1}, kDouble)); }),
            "heaviside: tensors must have the same dtype: got float32 and float64");
}

TEST(FloatPower, ComputesInDouble) {
  EXPECT_TRUE(same(tensor({2, 3}).float_power(-1), tensor({0.5, 1.0 / 3}, kDouble)));
  EXPECT_TRUE(same(float_power(2, tensor({3})), tensor({8.0}, kDouble)));
  const Tensor x = ones({1});
  EXPECT_THROW(x.float_power_(2), DTypeError);
}

TEST(IsClose, ComparesWithTolerances) {
  const Tensor a = tensor({1.0, kNaN, kInf}), b = tensor({1.01, kNaN, kInf});
  EXPECT_TRUE(equal(isclose(a, b), tensor({false, false, true})));
  EXPECT_TRUE(equal(a.isclose(b, 0.1, 0, true), tensor({true, true, true})));
  EXPECT_THROW(isclose(a, b, -1), ValueError);
  EXPECT_THROW(isclose(a, tensor({1})), DTypeError);
}

TEST(Fill, CopiesTheElementOfATensor) {
  const Tensor value = tensor(3.0).set_requires_grad(), x = zeros({2, 2});
  EXPECT_TRUE(x.fill_(value).is_same(x));
  x.sum().backward();
  EXPECT_EQ(value.grad().item<double>(), 4);
  EXPECT_EQ(error_text<ShapeError>([&] { fill(x, ones({1})); }),
            "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions");
}

TEST(Aliases, CallTheirTargets) {
  const Tensor x = tensor({-1.5, 0.25});
  EXPECT_TRUE(equal(absolute(x), x.abs()));
  EXPECT_TRUE(equal(x.clip(-1, 0), x.clamp(-1, 0)));
  EXPECT_TRUE(equal(divide(x, 2, "floor"), x.div(2, "floor")));
  EXPECT_TRUE(equal(x.subtract(1, 3), x - 3));
  EXPECT_TRUE(equal(x.greater_equal(0), x >= 0));
  EXPECT_TRUE(equal(arctan2(x, x), atan2(x, x)));
  EXPECT_TRUE(abs_(x).is_same(x));
  EXPECT_TRUE(equal(x.multiply_(2), tensor({3.0, 0.5})));
  EXPECT_EQ(numel(x), 2);
  EXPECT_FALSE(clone(x).is_same(x));
}

TEST(Division, RejectsIntegersThatAreZeroInTheResultType) {
  const Tensor x = ones({2}, {.dtype = int32});
  for (const Tensor& divisor : {tensor(0), tensor(std::int64_t{1} << 40)}) {
    for (const auto& divide : {+[](const Tensor&a, const Tensor&b) { return fmod(a, b); },
                               +[](const Tensor&a, const Tensor&b) { return remainder(a, b); },
                               +[](const Tensor&a, const Tensor&b) { return a.div(b, "floor"); }})
      EXPECT_NE(error_text<RuntimeError>([&] { return divide(x, divisor); }).find("divided by 0"),
                std::string::npos);
  }
}

TEST(RandintLike, HasShapeAndDtypeOfTheTensor) {
  const Tensor x = randint_like(zeros({100}), 2, 5);
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_TRUE((x >= 2).logical_and(x < 5).all().item<bool>());
  EXPECT_THROW(randint_like(x, 0), ValueError);
}

}  // namespace
