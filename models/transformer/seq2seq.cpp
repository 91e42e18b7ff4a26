#include "transformer/seq2seq.h"

#include <cmath>
#include <string>

#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace transformer {

using namespace taper;

namespace {

nn::TransformerOptions with_batch_first(nn::TransformerOptions options) {
  options.batch_first = true;
  return options;
}

}  // namespace

Tensor sinusoidal_positions(std::int64_t length, std::int64_t features) {
  if (features < 2 || features % 2 != 0)
    throw ValueError("sinusoidal_positions: expected an even number of features, got " +
                     std::to_string(features));
  const double rate = -std::log(10000.0) / static_cast<double>(features);
  const Tensor angles = arange(length).unsqueeze(1) * exp(arange(0, features, 2) * rate);
  return stack({angles.sin(), angles.cos()}, 2).reshape({length, features});
}

TAPER_LAYER_MEMBERS(Seq2Seq, embed, transformer, out, positions)

Seq2Seq::Seq2Seq(IntArg vocabulary, IntArg max_length, const nn::TransformerOptions& options)
    : embed(vocabulary, options.d_model, {.padding_idx = padding}),
      transformer(with_batch_first(options)),
      out(options.d_model, vocabulary),
      positions(sinusoidal_positions(max_length, options.d_model), false) {}

Tensor Seq2Seq::embedded(const Tensor& ids) const {
  if (ids.dim() != 2 || ids.size(1) > positions.size(0))
    throw ShapeError("Seq2Seq: got ids of shape " + ids.shape().str() +
                     ", expected [N, L] with L <= " + std::to_string(positions.size(0)));
  const double scale = std::sqrt(static_cast<double>(embed.embedding_dim));
  return embed(ids) * scale + positions.narrow(0, 0, ids.size(1));
}

Tensor Seq2Seq::forward(const Tensor& source, const Tensor& target) const {
  const std::int64_t length = target.dim() == 2 ? target.size(1) : 0;
  const Tensor later = ones({length, length}, {.dtype = bool_, .device = target.device()}).triu(1);
  const Tensor source_padding = source == padding, target_padding = target == padding;
  return out(transformer(embedded(source), embedded(target),
                         {.tgt_mask = later,
                          .src_key_padding_mask = source_padding,
                          .tgt_key_padding_mask = target_padding,
                          .memory_key_padding_mask = source_padding}));
}

}  // namespace transformer
