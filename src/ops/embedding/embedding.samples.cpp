#include "ops/embedding/embedding.h"

#include <cmath>

#include "ops/indexing/index_samples.h"

namespace taper {

// With padding_idx or scale_grad_by_freq, the gradient is not the derivative of the output.
TAPER_DEFINE_SAMPLES(embedding) {
  return {sample<Embedding>({{5, 3}, indices({4}, 0, 5)}),
          skip_gradient_check(
              sample<Embedding>({{5, 3}, indices({2, 4}, 0, 5, DType::i32)}, {.padding_idx = 2})),
          skip_gradient_check(sample<Embedding>({{3, 2}, indices({2, 2, 3}, 0, 3)},
                                                {.padding_idx = 0, .scale_grad_by_freq = true})),
          sample<Embedding>({{4, 3}, indices({}, 0, 4)}),
          sample<Embedding>({{300, 80}, indices({500}, 0, 300)})};
}
TAPER_DEFINE_SAMPLES(embedding_dense_backward) {
  using B = EmbeddingDenseBackward;
  return {sample<B>({{4, 3}, indices({4}, 0, 5)}, {.num_weights = 5}),
          sample<B>({{2, 4, 3}, indices({2, 4}, 0, 5, DType::i32)},
                    {.num_weights = 5, .padding_idx = 2}),
          skip_gradient_check(
              sample<B>({{12, 2}, indices({12}, 0, 3)},
                        {.num_weights = 3, .padding_idx = 0, .scale_grad_by_freq = true})),
          sample<B>({{500, 80}, indices({500}, 0, 300)}, {.num_weights = 300})};
}
TAPER_DEFINE_SAMPLES(embedding_renorm) {
  using R = EmbeddingRenorm;
  return {sample<R>({{5, 3}, indices({4}, 0, 5)}, {.max_norm = 0.5}),
          sample<R>({{5, 3}, indices({2, 2}, 0, 5)}, {.max_norm = 0.7, .norm_type = 1}),
          sample<R>({{5, 3}, indices({2}, 0, 5)}, {.max_norm = 0.3, .norm_type = INFINITY})};
}

}  // namespace taper
