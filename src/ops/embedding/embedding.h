#pragma once
#include "ops/op.h"

namespace taper {

/// Throws DTypeError unless input `at`, which contains indices, is i64 or i32.
void check_index_dtype(const ShapeInference& i, int at);

/// Rows of `weight` selected by `indices`. `padding_idx` and `scale_grad_by_freq` concern the
/// gradient.
struct Embedding {
  std::int64_t padding_idx = -1;
  bool scale_grad_by_freq = false;
  TAPER_ATTRIBUTES(padding_idx, scale_grad_by_freq)
  static constexpr OpInfo op{.name = "embedding",
                             .node = "EmbeddingBackward0",
                             .inputs = "weight indices",
                             .dtypes = DTypeSet::every,
                             .saved = in(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Embedding>& b) const;
};

/// Gradient of Embedding with respect to `weight`, which has `num_weights` rows: the sum of the
/// rows of `grad` for each index.
struct EmbeddingDenseBackward {
  std::int64_t num_weights = 0, padding_idx = -1;
  bool scale_grad_by_freq = false;
  TAPER_ATTRIBUTES(num_weights, padding_idx, scale_grad_by_freq)
  static constexpr OpInfo op{.name = "embedding_dense_backward",
                             .node = "EmbeddingDenseBackwardBackward0",
                             .inputs = "grad_output indices",
                             .dtypes = DTypeSet::all,
                             .saved = in(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<EmbeddingDenseBackward>& b) const;
};

/// Copy of `weight` whose rows that occur in `indices` have at most the norm `max_norm`.
struct EmbeddingRenorm {
  double max_norm = 1, norm_type = 2;
  TAPER_ATTRIBUTES(max_norm, norm_type)
  static constexpr OpInfo op{.name = "embedding_renorm",
                             .inputs = "weight indices",
                             .dtypes = DTypeSet::floating,
                             .inplace = true,
                             .public_name = "embedding"};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
