#include "distributions/shapes.h"
#include "taper/distributions/location_scale.h"

namespace taper::distributions {
namespace {

// Approximations of the modified Bessel functions by Abramowitz and Stegun, 9.8.1 to 9.8.4, which
// PyTorch uses: in (x / 3.75)^2 below 3.75, otherwise in 3.75 / x.
constexpr double kSmall[2][7] = {
    {1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2},
    {0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3}};
constexpr double kLarge[2][9] = {
    {0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1,
     -0.1647633e-1, 0.392377e-2},
    {0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
     -0.2895312e-1, 0.1787654e-1, -0.420059e-2}};

template <std::size_t N> Tensor polynomial(const Tensor& x, const double (&coefficients)[N]) {
  Tensor y = full_like(x, coefficients[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) y = coefficients[i] + x * y;
  return y;
}

/// Returns the logarithm of the modified Bessel function of order 0 or 1 for positive x.
Tensor log_modified_bessel(const Tensor& x, int order) {
  Tensor small = polynomial((x / 3.75).square(), kSmall[order]);
  if (order == 1) small = x.abs() * small;
  const Tensor large = x - 0.5 * x.log() + polynomial(3.75 / x, kLarge[order]).log();
  return where(x < 3.75, small.log(), large);
}

/// Returns the parameter of the wrapped Cauchy distribution that envelops the density.
Tensor proposal_r(const Tensor& concentration) {
  const Tensor k = concentration.to(DType::f64), tau = 1 + (1 + 4 * k.square()).sqrt();
  const Tensor rho = (tau - (2 * tau).sqrt()) / (2 * k);
  return where(k < 1e-5, 1 / k + k, (1 + rho.square()) / (2 * rho));
}

}  // namespace

VonMises::VonMises(const TensorOrNumber& loc, const TensorOrNumber& concentration,
                   Validate validate_args)
    : DistributionOf({"VonMises"}, validate_args) {
  set_parameters(
      {{"loc", loc, constraints::real}, {"concentration", concentration, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor VonMises::mean() const { return loc(); }
Tensor VonMises::mode() const { return loc(); }
Tensor VonMises::variance() const {
  return 1 -
         (log_modified_bessel(concentration(), 1) - log_modified_bessel(concentration(), 0)).exp();
}
Tensor VonMises::compute_log_prob(const Tensor& value) const {
  return concentration() * (value - loc()).cos() - std::log(2 * kPi) -
         log_modified_bessel(concentration(), 0);
}
// D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises distribution" (1979). As in
// PyTorch, all elements are drawn until the last one is accepted.
Tensor VonMises::draw(const Shape& sample_shape, const Generator& generator) const {
  const Shape shape = extended_shape(sample_shape);
  const Tensor k = concentration().to(DType::f64), r = proposal_r(concentration());
  Tensor x = full_as(k, shape, 0), done = full(shape, false, {.dtype = DType::bool_});
  while (!done.all().item<bool>()) {
    const Tensor u = standard_uniform(concat({{3}, shape}), k, generator);
    const Tensor z = (kPi * u[0]).cos(), f = (1 + r * z) / (r + z), c = k * (r - f);
    const Tensor accept = (c * (2 - c) - u[1] > 0).logical_or((c / u[1]).log() + 1 - c >= 0);
    x = where(accept, (u[2] - 0.5).sign() * f.acos(), x);
    done = done.logical_or(accept);
  }
  const Tensor angle = x + kPi + loc().to(DType::f64);
  return (angle - (angle / (2 * kPi)).floor() * (2 * kPi) - kPi).to(loc().dtype());
}

}  // namespace taper::distributions
