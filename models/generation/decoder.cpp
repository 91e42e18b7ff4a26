#include "generation/decoder.h"

#include "taper/core/factory.h"

namespace generation {

using namespace taper;

Tensor Decoder::next_logits(const Tensor& sequences) {
  const std::int64_t length = sequences.size(1), past = cache_.get_seq_length();
  huggingface::ModelInputs inputs{.past_key_values = use_cache_ ? &cache_ : nullptr,
                                  .logits_to_keep = 1};
  if (prompt_mask_.defined()) {
    const Tensor generated =
        ones({sequences.size(0), length - prompt_mask_.size(1)}, {.dtype = prompt_mask_.dtype()});
    inputs.attention_mask = cat({prompt_mask_, generated}, 1);
    const Tensor positions = inputs.attention_mask.cumsum(1, DType::i64) - 1;
    inputs.position_ids = positions.masked_fill(inputs.attention_mask.eq(0), 0).slice(1, past, {});
  }
  const Tensor logits = model_(sequences.slice(1, past, {}), inputs);
  return logits.select(1, -1).to(DType::f32);
}

}  // namespace generation
