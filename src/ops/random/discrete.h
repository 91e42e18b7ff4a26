// In-place fills from discrete distributions.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Fills a tensor with uniform integers in [from, to).
struct Random : RandomFill {
  std::optional<std::int64_t> from{}, to{};  // default: all integers of the dtype from 0 on

  static constexpr OpInfo op{.name = "random",
                             .node = "RandomBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::every,
                             .inplace = true,
                             .random = true};
  TAPER_ATTRIBUTES(from, to, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Bernoulli : RandomFill {
  double p = 0.5;

  static constexpr OpInfo op{.name = "bernoulli",
                             .node = "BernoulliBackward0",
                             .inputs = "self probabilities?",
                             .dtypes = DTypeSet::all,
                             .broadcast = true,
                             .inplace = true,
                             .random = true};
  TAPER_ATTRIBUTES(p, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

struct Geometric : RandomFill {
  double p = 0.5;

  static void dtype_error(const ShapeInference& i);
  static constexpr OpInfo op{.name = "geometric",
                             .node = "GeometricBackward0",
                             .inputs = "self",
                             .dtypes = DTypeSet::no_bool,
                             .inplace = true,
                             .random = true,
                             .dtype_error = dtype_error};
  TAPER_ATTRIBUTES(p, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

}  // namespace taper
