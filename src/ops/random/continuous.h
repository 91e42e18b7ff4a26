// In-place fills from continuous distributions.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Fills a tensor from the uniform distribution on [from, to).
struct Uniform : RandomFill {
  double from = 0, to = 1;

  static constexpr OpInfo op = fill_info("uniform", "UniformBackward0");
  TAPER_ATTRIBUTES(from, to, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Normal : RandomFill {
  double mean = 0, std = 1;

  static constexpr OpInfo op = fill_info("normal", "NormalBackward0");
  TAPER_ATTRIBUTES(mean, std, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct LogNormal : RandomFill {
  double mean = 1, std = 2;

  static constexpr OpInfo op = fill_info("log_normal", "LogNormalBackward0");
  TAPER_ATTRIBUTES(mean, std, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Exponential : RandomFill {
  double lambd = 1;

  static constexpr OpInfo op = fill_info("exponential", "ExponentialBackward0");
  TAPER_ATTRIBUTES(lambd, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Cauchy : RandomFill {
  double median = 0, sigma = 1;

  static constexpr OpInfo op = fill_info("cauchy", "CauchyBackward0");
  TAPER_ATTRIBUTES(median, sigma, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct TruncNormal : RandomFill {
  double mean = 0, std = 1, a = -2, b = 2;

  static constexpr OpInfo op = fill_info("trunc_normal", "TruncNormalBackward0");
  TAPER_ATTRIBUTES(mean, std, a, b, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

}  // namespace taper
