#pragma once
#include "ops/op.h"

namespace taper {

/// Lower medians along `dim` and the index of the first occurrence of each. The median of a slice
/// that contains NaN is NaN.
struct Median {
  std::int64_t dim = 0;
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = "median",
                             .node = "MedianBackward1",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::no_bool,
                             .saved = out(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Median>& b) const;
};

/// Lower median of all elements. Equal elements share the gradient.
struct MedianAll {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "median_all",
                             .node = "MedianBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(0) | out(0),
                             .has_cpu_kernel = true,
                             .public_name = "median"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MedianAll>& b) const;
};

}  // namespace taper
