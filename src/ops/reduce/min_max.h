#pragma once
#include "ops/op.h"

namespace taper {

/// Maxima (minima) along `dim` and the index of the first occurrence of each. NaN is treated as
/// greater (less) than all numbers.
template <bool Largest> struct MinMax {
  std::int64_t dim = 0;
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = Largest ? "max" : "min",
                             .node = Largest ? "MaxBackward0" : "MinBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::all,
                             .saved = out(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MinMax>& b) const;
};

/// Indices of the first maxima (minima) along `dim`, or in the flattened input if `dim` is absent.
template <bool Largest> struct ArgMinMax {
  std::optional<std::int64_t> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = Largest ? "argmax" : "argmin",
                             .inputs = "input",
                             .dtypes = DTypeSet::no_bool,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
