// With the density p and the cumulative distribution function F, the derivative is -(dF/da) / p(x),
// an integral over one tail: the one in which the derivative of the log-density with respect to a
// does not change its sign, so that nothing cancels. Double exponential quadrature handles the
// logarithms and powers at the ends.
#include "ops/random/implicit_gradient.h"

#include <cmath>
#include <numbers>

#include "ops/pointwise/special_math.h"

namespace taper::random {
namespace {

using special_math::digamma;

constexpr double kStep = 1.0 / 16;
constexpr int kNodes = 70;  // on each side; the weights beyond are below 1e-17 of the largest

/// Integrates f(u, v) over u in (0, 1), where v = 1 - u is exact near u = 1.
template <class F> double integrate_unit(F f) {
  double sum = 0;
  for (int i = -kNodes; i <= kNodes; ++i) {
    const double t = i * kStep, q = std::numbers::pi * std::sinh(t);
    const double u = 1 / (1 + std::exp(-q)), v = 1 / (1 + std::exp(q));
    const double weight = std::numbers::pi * std::cosh(t) * u * v;
    if (weight > 0 && u > 0 && v > 0) sum += weight * f(u, v);
  }
  return sum * kStep;
}

/// Integrates f(log u, v) exp(g(v)) u^(a - 1) over u in (0, 1), v = 1 - u.
template <class F, class G> double integrate_power(double a, F f, G g) {
  if (a >= 1)
    return integrate_unit([&](double u, double v) {
      const double log_u = v < 0.5 ? std::log1p(-v) : std::log(u);
      // Either factor of the exponential alone may overflow.
      return f(log_u, v) * std::exp((a - 1) * log_u + g(v));
    });
  // In s = u^a the pole at 0 is removed.
  return integrate_unit([&](double s, double rest) {
           const double log_u = (rest < 0.5 ? std::log1p(-rest) : std::log(s)) / a;
           const double v = -std::expm1(log_u);
           return f(log_u, v) * std::exp(g(v));
         }) /
         a;
}

/// Integrates f(s) over s > 0.
template <class F> double integrate_half_line(F f) {
  double sum = 0;
  for (int i = -kNodes; i <= kNodes; ++i) {
    const double t = i * kStep, s = std::exp(std::numbers::pi / 2 * std::sinh(t));
    const double weight = std::numbers::pi / 2 * std::cosh(t) * s;
    if (const double value = f(s); weight > 0 && value != 0) sum += weight * value;
  }
  return sum * kStep;
}

}  // namespace

double gamma_gradient(double a, double x) {
  if (!(x > 0) || !(a > 0)) return std::isnan(x) || std::isnan(a) ? special_math::kNaN : 0;
  const double log_x = std::log(x), center = digamma(a);
  if (log_x <= center)
    return x * integrate_power(
                   a, [&](double log_u, double) { return center - log_x - log_u; },
                   [&](double v) { return x * v; });
  return x * integrate_half_line([&](double s) {
           const double log_s = std::log1p(s);
           return (log_x - center + log_s) * std::exp((a - 1) * log_s - x * s);
         });
}

double beta_gradient(double x, double a, double b) {
  if (!(x > 0 && x < 1 && a > 0 && b > 0))
    return std::isnan(x) || std::isnan(a) || std::isnan(b) ? special_math::kNaN : 0;
  const double y = 1 - x, log_x = std::log(x), center = digamma(a) - digamma(a + b);
  if (log_x <= center)
    return x / y *
           integrate_power(
               a, [&](double log_u, double) { return center - log_x - log_u; },
               [&](double v) { return (b - 1) * std::log1p(x * v / y); });
  // In u = (1 - t) / (1 - x) for t in (x, 1).
  return integrate_power(
      b, [&](double, double v) { return log_x + std::log1p(y * v / x) - center; },
      [&](double v) { return (a - 1) * std::log1p(y * v / x); });
}

}  // namespace taper::random
