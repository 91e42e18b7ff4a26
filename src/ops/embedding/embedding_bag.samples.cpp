#include "ops/embedding/embedding_bag.h"

#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(embedding_bag) {
  using B = EmbeddingBag;
  const TensorSpec absent = TensorSpec::none();
  // Random offsets would not ascend: the only offset that is always valid is 0.
  const TensorSpec offsets = indices({1}, 0, 1), bags = indices({3}, 0, 1);
  return {sample<B>({{5, 3}, indices({4}, 0, 5), offsets, absent}),
          sample<B>({{5, 3}, indices({4}, 0, 5), bags, {4}}),
          sample<B>({{5, 3}, indices({6}, 0, 5, DType::i32), offsets, {6}}, {.padding_idx = 2}),
          skip_gradient_check(sample<B>({{5, 3}, indices({6}, 0, 5), bags, absent},
                                        {.mode = 1, .scale_grad_by_freq = true, .padding_idx = 1})),
          sample<B>({{5, 3}, indices({6}, 0, 5), bags, absent}, {.mode = 2, .padding_idx = 0}),
          sample<B>({{5, 3}, indices({6}, 0, 5), bags, absent},
                    {.mode = 1, .include_last_offset = true}),
          sample<B>({{200, 64}, indices({900}, 0, 200), offsets, absent}, {.mode = 1})};
}

}  // namespace taper
