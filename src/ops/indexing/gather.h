#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Gathers elements along `dim`: output[i][j] = input[index[i][j]][j] for dim 0 of a matrix.
struct Gather : indexing::AlongDim {
  static constexpr OpInfo op = indexing::read_info("gather", "GatherBackward0", "input index");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Gather>& b) const;
};

/// Copy of `input` with output[index[i][j]][j] = src[i][j] (dim 0 of a matrix). The last write to
/// an element takes precedence.
struct Scatter : indexing::AlongDim {
  static constexpr OpInfo op =
      indexing::write_info("scatter", "ScatterBackward0", "input index src", DTypeSet::every);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Scatter>& b) const;
};

/// As Scatter, with one number as the value of all selected elements.
struct ScatterValue {
  std::int64_t dim = 0;
  Scalar value = 0;
  TAPER_ATTRIBUTES(dim, value)
  static constexpr OpInfo op{.name = "scatter_value",
                             .node = "ScatterBackward1",
                             .inputs = "input index",
                             .dtypes = DTypeSet::every,
                             .saved = in(1),
                             .inplace = true,
                             .has_cpu_kernel = true,
                             .public_name = "scatter"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ScatterValue>& b) const;
};

/// As Scatter, but adds to the elements of `input`.
struct ScatterAdd : indexing::AlongDim {
  static constexpr OpInfo op = indexing::write_info("scatter_add", "ScatterAddBackward0",
                                                    "input index src", DTypeSet::every);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ScatterAdd>& b) const;
};

}  // namespace taper
