// Samples from gamma, Dirichlet and binomial distributions, and their implicit gradients.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Draws from gamma distributions of shape `self` and rate 1, in row-major order.
struct StandardGamma {
  Generator generator = default_generator();
  static constexpr OpInfo op{.name = "_standard_gamma",
                             .node = "StandardGammaBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .random = true};
  TAPER_ATTRIBUTES(generator)
  void infer(ShapeInference& i) const { infer_like_input(i); }
  void backward(BackwardContext<StandardGamma>& b) const;
};

/// Derivative of a gamma sample with respect to the shape parameter at a constant value of the
/// cumulative distribution function.
struct StandardGammaGrad {
  static constexpr OpInfo op{
      .name = "_standard_gamma_grad", .inputs = "self output", .dtypes = DTypeSet::full_precision};
  TAPER_ATTRIBUTES()
  void infer(ShapeInference& i) const;
};

/// Draws from Dirichlet distributions of concentrations `self` (..., K), in row-major order.
struct SampleDirichlet {
  Generator generator = default_generator();
  static constexpr OpInfo op{.name = "_sample_dirichlet",
                             .node = "_DirichletBackward",
                             .inputs = "self",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .random = true};
  TAPER_ATTRIBUTES(generator)
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<SampleDirichlet>& b) const;
};

/// Derivative of a beta sample x with respect to alpha at a constant value of the cumulative
/// distribution function of Beta(alpha, total - alpha), divided by 1 - x.
struct DirichletGrad {
  static constexpr OpInfo op{
      .name = "_dirichlet_grad", .inputs = "x alpha total", .dtypes = DTypeSet::full_precision};
  TAPER_ATTRIBUTES()
  void infer(ShapeInference& i) const;
};

/// Draws from binomial distributions, in row-major order.
struct Binomial {
  Generator generator = default_generator();
  static constexpr OpInfo op{.name = "binomial",
                             .node = "BinomialBackward0",
                             .inputs = "count prob",
                             .dtypes = DTypeSet::full_precision,
                             .random = true};
  TAPER_ATTRIBUTES(generator)
  void infer(ShapeInference& i) const;
  void backward(BackwardContextBase& b) const;
};

}  // namespace taper
