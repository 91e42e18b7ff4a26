// In-place fills from continuous distributions.
#pragma once
#include "ops/random/fill.h"

namespace taper {

struct Uniform : RandomFill {
  double from = 0, to = 1;

  static constexpr OpInfo op{.name = "uniform",
                             .node = "UniformBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(from, to, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Normal : RandomFill {
  double mean = 0, std = 1;

  static constexpr OpInfo op{.name = "normal",
                             .node = "NormalBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(mean, std, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct LogNormal : RandomFill {
  double mean = 1, std = 2;

  static constexpr OpInfo op{.name = "log_normal",
                             .node = "LogNormalBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(mean, std, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Exponential : RandomFill {
  double lambd = 1;

  static constexpr OpInfo op{.name = "exponential",
                             .node = "ExponentialBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(lambd, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Cauchy : RandomFill {
  double median = 0, sigma = 1;

  static constexpr OpInfo op{.name = "cauchy",
                             .node = "CauchyBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(median, sigma, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct TruncNormal : RandomFill {
  double mean = 0, std = 1, a = -2, b = 2;

  static constexpr OpInfo op{.name = "trunc_normal",
                             .node = "TruncNormalBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .random = true,
                             .dtype_error = fill_dtype_error};
  TAPER_ATTRIBUTES(mean, std, a, b, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

}  // namespace taper
