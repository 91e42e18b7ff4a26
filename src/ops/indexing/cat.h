#pragma once
#include "ops/op.h"

namespace taper {

/// Concatenates tensors along dimension `dim`.
struct Cat {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "cat",
                             .node = "CatBackward0",
                             .inputs = "tensors...",
                             .dtypes = DTypeSet::every,
                             .promote = TypePromotion::standard,
                             .autocast = AutocastPolicy::promote,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Cat>& b) const;
};

/// Stacks tensors of the same shape along a new dimension `dim`.
struct Stack {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "stack",
                             .node = "StackBackward0",
                             .inputs = "tensors...",
                             .dtypes = DTypeSet::every,
                             .promote = TypePromotion::standard,
                             .autocast = AutocastPolicy::promote,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Stack>& b) const;
};

}  // namespace taper
