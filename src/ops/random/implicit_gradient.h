// Derivatives of samples with respect to parameters of their distribution, at a constant value of
// the cumulative distribution function (implicit reparameterization, Figurnov et al., 2018).
#pragma once

namespace taper::random {

/// Returns dx/da of a sample x of the gamma distribution with shape a and rate 1.
double gamma_gradient(double a, double x);
/// Returns dx/da / (1 - x) of a sample x of the beta distribution with concentrations a and b.
double beta_gradient(double x, double a, double b);

}  // namespace taper::random
