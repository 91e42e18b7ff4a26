#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Copy of `input` in which output[index[i][j]][j] is reduced with src[i][j] (dim 0 of a matrix).
/// Without `include_self`, the previous value of a selected element is excluded.
struct ScatterReduce {
  std::int64_t dim = 0;
  std::string reduce = "sum";
  bool include_self = true;
  TAPER_ATTRIBUTES(dim, reduce, include_self)
  static constexpr OpInfo op{.name = "scatter_reduce",
                             .node = "ScatterReduceBackward0",
                             .inputs = "input index src",
                             .dtypes = DTypeSet::all,
                             .saved = in(0) | in(1) | in(2) | out(0),
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ScatterReduce>& b) const;
};

namespace indexing {

enum class ScatterReduction { sum, prod, mean, amax, amin };
/// Returns the reduction called `name`. Throws ValueError naming `op` if there is none.
ScatterReduction reduction_named(std::string_view name, std::string_view op);

}  // namespace indexing
}  // namespace taper
