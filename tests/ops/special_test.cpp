// Special functions and windows at special values, which the ranges of the samples do not contain.
#include "taper/ops/special.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional/activation.h"
#include "taper/nn/functional/gelu.h"
#include "taper/ops/activation.h"
#include "taper/ops/elementary.h"
#include "taper/ops/window.h"

namespace {

using namespace taper;
namespace F = nn::functional;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const TensorOptions kDouble{.dtype = float64};

Tensor doubles(std::initializer_list<double> values) {
  return tensor(std::vector<double>(values), kDouble);
}
bool same(const Tensor& a, const Tensor& b) { return allclose(a, b, 1e-14, 0, true); }

TEST(Special, BesselFunctionsOfSpecialArguments) {
  // As PyTorch 2.15, these functions return NaN for infinity, although they have limits there. In
  // float64, PyTorch's j0, j1, y0 and y1 are wrong by up to 1e-7 for 3 < x < 10; these are not.
  EXPECT_TRUE(same(special::bessel_j0(doubles({0, kInf, -kInf})), doubles({1, kNaN, kNaN})));
  EXPECT_NEAR(special::bessel_j0(tensor(5.0, kDouble)).item<double>(), -0.17759677131433830, 1e-15);
  EXPECT_TRUE(same(special::bessel_y0(doubles({0, -1, kInf})), doubles({-kInf, kNaN, kNaN})));
  EXPECT_TRUE(same(special::modified_bessel_k0(doubles({0, -1, kInf})), doubles({kInf, kNaN, 0})));
  EXPECT_TRUE(same(special::i0e(doubles({0, kInf})), doubles({1, 0})));
  EXPECT_TRUE(same(special::airy_ai(doubles({kInf, -kInf})), doubles({kNaN, kNaN})));
}

TEST(Special, PolynomialsOfAnyOrderReturn) {
  const Tensor x = doubles({-1, 0.5, 1, 1.5});
  const double order = 1e18;
  using Function = Tensor (*)(const Tensor&, const Tensor&);
  for (const Function function : std::initializer_list<Function>{
           special::chebyshev_polynomial_t, special::chebyshev_polynomial_u,
           special::chebyshev_polynomial_v, special::chebyshev_polynomial_w,
           special::hermite_polynomial_h, special::laguerre_polynomial_l,
           special::legendre_polynomial_p, special::shifted_chebyshev_polynomial_w}) {
    EXPECT_EQ(function(x, tensor(order, kDouble)).numel(), 4);
    EXPECT_TRUE(equal(function(x, tensor(-1.0, kDouble)), zeros({4}, kDouble)));
    EXPECT_TRUE(equal(function(x, tensor(0.0, kDouble)), ones({4}, kDouble)));
  }
  EXPECT_TRUE(same(special::legendre_polynomial_p(x, 2), doubles({1, -0.125, 1, 2.875})));
  EXPECT_TRUE(same(special::laguerre_polynomial_l(2, doubles({1})), doubles({-1})));
}

TEST(Polynomials, LargeOrdersNearTheEndOfTheIntervalOfOrthogonality) {
  // A recurrence would grow for 1e10 steps.
  const Tensor x = tensor(1 + 0x1p-52, kDouble), order = tensor(1e10, kDouble);
  const double angle = std::acosh(1 + 0x1p-52);
  const auto value = [](const Tensor& y) { return y.item<double>(); };
  // The last bit of the angle is multiplied by the order.
  EXPECT_NEAR(value(special::chebyshev_polynomial_t(x, order)) / std::cosh(1e10 * angle), 1, 1e-12);
  EXPECT_NEAR(value(special::chebyshev_polynomial_w(-x, order)) /
                  (std::cosh((1e10 + 0.5) * angle) / std::cosh(angle / 2)),
              1, 1e-12);
  EXPECT_TRUE(std::isnan(value(special::chebyshev_polynomial_u(2, tensor(1e18, kDouble)))));
  // The order of the first uses the recurrence, that of the second the asymptotic expansion.
  for (const double near : {1 - 1e-14, 1 - 1e-9, 1 + 1e-13, -1 - 1e-13})
    EXPECT_NEAR(value(special::legendre_polynomial_p(near, tensor(1e6, kDouble))) /
                    value(special::legendre_polynomial_p(near, tensor(1e6 + 2, kDouble))),
                1, 1e-4)
        << near;
}

TEST(Bessel, ModifiedFunctionsAreNaNAtInfinity) {
  const Tensor x = doubles({kInf, -kInf, 0});
  EXPECT_TRUE(same(i0(x), doubles({kNaN, kNaN, 1})));
  EXPECT_TRUE(same(special::i1(x), doubles({kNaN, kNaN, 0})));
}

TEST(Bessel, LargeNumbersInSinglePrecision) {
  // Values of PyTorch, whose phase is rounded to float; that of bessel_y0(2^20) is -3.379162e-4.
  const Tensor x = tensor({30.5f, 10701.f, 1048576.f});
  const auto near = [&](const Tensor& y, const Tensor& expected) {
    return allclose(y, expected, 1e-4, 1e-8);
  };
  EXPECT_TRUE(
      near(special::bessel_y0(x), tensor({-0.14315733f, -0.00038353712f, -0.00035681788f})));
  EXPECT_TRUE(near(special::bessel_y1(x), tensor({0.017046006f, -0.0077033672f, -0.00069561898f})));
  EXPECT_TRUE(near(special::bessel_j0(-x), tensor({-0.019389803f, 0.007703539f, 0.0006926824f})));
  EXPECT_TRUE(near(special::bessel_j1(-x), tensor({0.14349434f, 0.00038697297f, 0.00035105861f})));
}

TEST(IncompleteGamma, EdgesAndGradient) {
  const Tensor a = doubles({0, 0, 2, 2, -1, kInf, 3}), x = doubles({1, 0, 0, kInf, 1, 1, -1});
  EXPECT_TRUE(same(igamma(a, x), doubles({1, kNaN, 0, 1, kNaN, 0, kNaN})));
  EXPECT_TRUE(same(igammac(a, x), doubles({0, kNaN, 1, 0, kNaN, 1, kNaN})));
  const Tensor order = doubles({2}).set_requires_grad(), at = doubles({1}).set_requires_grad();
  EXPECT_THROW(igamma(order, at).backward(), NotImplementedError);
  igamma(order.detach(), at).backward();
  EXPECT_NEAR(at.grad().item<double>(), std::exp(-1), 1e-15);
}

TEST(Special, NormalDistribution) {
  EXPECT_TRUE(same(special::ndtri(doubles({0, 0.5, 1, 2})), doubles({-kInf, 0, kInf, kNaN})));
  EXPECT_NEAR(special::log_ndtr(tensor(-40.0, kDouble)).item<double>(), -804.6084420137538, 1e-12);
  EXPECT_TRUE(same(special::entr(doubles({-1, 0, 1})), doubles({-kInf, 0, 0})));
  EXPECT_THROW(mvlgamma(ones({1}), 0), ValueError);
}

TEST(Windows, SymmetricAndPeriodic) {
  EXPECT_TRUE(allclose(signal::windows::hann(5), tensor({0.0, 0.5, 1.0, 0.5, 0.0}), 0, 1e-7));
  EXPECT_TRUE(allclose(hann_window(4), tensor({0.0, 0.5, 1.0, 0.5}), 0, 1e-7));
  EXPECT_TRUE(equal(signal::windows::kaiser(1), ones({1})));
  EXPECT_EQ(signal::windows::gaussian(0).numel(), 0);
  EXPECT_THROW(signal::windows::hann(-1), ValueError);
  EXPECT_THROW(signal::windows::hann(3, true, {.dtype = int64}), DTypeError);
  EXPECT_THROW(signal::windows::exponential(3, 1.0), ValueError);
}

/// First and second derivative of f at x.
struct Derivatives {
  Tensor first, second;
};
template <class F> Derivatives derivatives_of(const Tensor& x, F&& f) {
  const Tensor leaf = x.detach().clone().set_requires_grad();
  const Tensor g = autograd::grad(f(leaf).sum(), leaf, {.create_graph = true});
  return {g.detach(), autograd::grad(g.sum(), leaf)};
}

// Differences such as 1 - sigmoid(x), and quotients that cancel near 0 or far from it, lose all
// digits in float32. Expected values are those of the formulas without cancellation.
TEST(SpecialDerivatives, DoNotCancelInFloat32) {
  const auto logsigmoid = derivatives_of(tensor({-17.5f, -30.f, 40.f}),
                                         [](const Tensor& x) { return F::logsigmoid(x); });
  const auto bend = [](double x) { return -std::exp(-std::abs(x)); };  // within 3e-8 of it
  EXPECT_TRUE(
      allclose(logsigmoid.second.to(float64), doubles({bend(17.5), bend(30), bend(40)}), 1e-5, 0));
  const auto plus =
      derivatives_of(tensor({19.f, -19.f}), [](const Tensor& x) { return F::softplus(x); });
  EXPECT_TRUE(allclose(plus.second.to(float64), doubles({-bend(19), -bend(19)}), 1e-5, 0));
  // i1(x) = x / 2 + x^3 / 16 + ... and j1(x) = x / 2 - x^3 / 16 + ...
  const Tensor small = tensor({-6.5e-16f, 1e-3f});
  const auto i1 = derivatives_of(small, [](const Tensor& x) { return special::i1(x); });
  const auto j1 = derivatives_of(small, [](const Tensor& x) { return special::bessel_j1(x); });
  EXPECT_TRUE(allclose(i1.first, tensor({0.5f, 0.5f}), 1e-5));
  EXPECT_TRUE(allclose(i1.second, small * 0.375, 1e-4, 0));
  EXPECT_TRUE(allclose(j1.second, small * -0.375, 1e-4, 0));
  // erfcx(x) = (1 / x - 1 / (2 x^3) + ...) / sqrt(pi)
  const Tensor far = tensor({1e3f, 1e5f, 1e9f});
  const auto scaled = derivatives_of(far, [](const Tensor& x) { return special::erfcx(x); });
  const double root = 1 / std::sqrt(std::acos(-1.0));
  const Tensor wide = far.to(float64);
  EXPECT_TRUE(allclose(scaled.first.to(float64), wide.pow(-2) * -root, 1e-5, 0));
  EXPECT_TRUE(allclose(scaled.second.to(float64), wide.pow(-3) * (2 * root), 1e-5, 0));
}

TEST(SpecialDerivatives, FiniteWhereFactorsAreNot) {
  const auto tail = derivatives_of(tensor({15.f, 30.f, 1e20f}),
                                   [](const Tensor& x) { return special::log_ndtr(x); });
  EXPECT_TRUE(tail.first.isfinite().all().item<bool>());
  EXPECT_TRUE(tail.second.isfinite().all().item<bool>());
  const Tensor large = tensor({1e15f, 1e20f, 3e38f});
  const auto tanh_gelu =
      derivatives_of(large, [](const Tensor& x) { return F::gelu(x, {.approximate = "tanh"}); });
  EXPECT_TRUE(equal(tanh_gelu.first, ones({3})));
  EXPECT_TRUE(equal(tanh_gelu.second, zeros({3})));
  EXPECT_TRUE(equal(
      derivatives_of(-large, [](const Tensor& x) { return F::gelu(x, {.approximate = "tanh"}); })
          .first,
      zeros({3})));
  const auto m = derivatives_of(large, [](const Tensor& x) { return F::mish(x); });
  EXPECT_TRUE(allclose(m.first, ones({3}), 1e-6));
  const auto angle =
      derivatives_of(tensor({1e30f, 1e-30f}), [](const Tensor& x) { return atan2(x, x.detach()); });
  EXPECT_TRUE(allclose(angle.first, tensor({5e-31f, 5e29f}), 1e-5, 0));
  EXPECT_TRUE(equal(
      derivatives_of(tensor({0.f}), [](const Tensor& x) { return x.copysign(-1).square(); }).first,
      zeros({1})));
  // The power of 0 is constant.
  const auto power = derivatives_of(tensor({0.f, 2.f}), [](const Tensor& x) { return pow(0, x); });
  EXPECT_TRUE(equal(power.first, zeros({2})));
  EXPECT_TRUE(equal(power.second, zeros({2})));
}

TEST(SpecialDerivatives, TrigammaOfTinyArguments) {
  // polygamma(1, x) = 1 / x^2 + pi^2 / 6 + ...
  for (const double x : {6.5e-16, -6.5e-16, -1e-10, 1e-18}) {
    const auto psi =
        derivatives_of(tensor({static_cast<float>(x)}), [](const Tensor& t) { return digamma(t); });
    const double wide = static_cast<double>(static_cast<float>(x));
    EXPECT_NEAR(psi.first.item<double>() * wide * wide, 1, 1e-6) << x;
  }
  EXPECT_EQ(polygamma(1, tensor({-1e-30f})).item<float>(), kInf);
  EXPECT_TRUE(
      same(special::zeta(doubles({51}), doubles({-0.5})), special::zeta(51, doubles({1.5}))));
}

TEST(Special, LargestArguments) {
  const Tensor x = doubles({std::numeric_limits<double>::max()});
  EXPECT_TRUE(equal(x.i0(), doubles({kInf})));
  EXPECT_TRUE(equal(special::i1(-x), doubles({-kInf})));
  for (const auto function :
       {special::modified_bessel_k0, special::modified_bessel_k1, special::airy_ai})
    EXPECT_TRUE(equal(function(x), doubles({0})));
  // sqrt(pi / (2 x))
  EXPECT_NEAR(special::scaled_modified_bessel_k0(x).item<double>() / 9.347635e-155, 1, 1e-6);
}

}  // namespace
