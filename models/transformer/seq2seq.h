// Seq2Seq: the Transformer for sequence to sequence tasks (Vaswani et al., "Attention Is All You
// Need", 2017), built on nn::Transformer.
#pragma once
#include "taper/nn/nn.h"

namespace transformer {

/// Returns sinusoidal positions `(length, features)` for an even number of features (section 3.5 of
/// the paper): sin(t f) and cos(t f) alternate, with frequencies f from 1 to almost 1 / 10000.
taper::Tensor sinusoidal_positions(std::int64_t length, std::int64_t features);

/// Maps ids `(N, S)` and `(N, T)` to logits `(N, T, vocabulary)`. Target position t
/// attends to target positions 0 to t. Positions with id `padding` are not attended to.
///
/// The embedding is shared by source and target and scaled by sqrt(d_model).
struct Seq2Seq : taper::nn::Layer<Seq2Seq> {
  static constexpr std::int64_t padding = 0;
  taper::nn::Embedding embed;
  taper::nn::Transformer transformer;
  taper::nn::Linear out;
  taper::nn::Buffer positions;  ///< (max_length, d_model), not saved

  /// `batch_first` of the options is ignored. Throws ValueError if d_model is odd.
  Seq2Seq(taper::IntArg vocabulary, taper::IntArg max_length,
          const taper::nn::TransformerOptions& options = {});
  TAPER_LAYER(Seq2Seq)
  /// Throws ShapeError if a sequence is longer than max_length.
  taper::Tensor forward(const taper::Tensor& source, const taper::Tensor& target) const;

 private:
  taper::Tensor embedded(const taper::Tensor& ids) const;
};

}  // namespace transformer
