// Rotary position embedding: "RoFormer" (Su et al., 2021), and its extensions to longer sequences.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "huggingface/config.h"
#include "taper/nn/layer.h"

namespace llama {

/// Options of the rotary embedding. Hugging Face: rope_parameters.
struct RopeParameters {
  /// "default"; "linear", positions are divided by `factor`; "dynamic", the base grows with the
  /// length of the sequence; "yarn" (Peng et al., 2023); "llama3".
  std::string rope_type = "default";
  double rope_theta = 10000;
  std::optional<double> factor{};
  std::optional<std::int64_t>
      original_max_position_embeddings{};  ///< maximum sequence length in pretraining
  // yarn
  std::optional<double> attention_factor{}, beta_fast{}, beta_slow{}, mscale{}, mscale_all_dim{};
  std::optional<bool> truncate{};  ///< rounds the bounds of the correction range; default: true
  // llama3
  std::optional<double> low_freq_factor{}, high_freq_factor{};

  /// Reads `rope_parameters`, or `rope_theta` and `rope_scaling` as version 4 of transformers
  /// writes them. Throws taper::ValueError for an unknown type, taper::KeyError if an option of the
  /// type is missing.
  static RopeParameters from_config(const huggingface::ConfigReader& config,
                                    std::int64_t max_position_embeddings);
  /// Calls `fields(key, field)` for each option.
  template <class Fields> void visit(const Fields& fields) {
    fields("rope_type", rope_type)("rope_theta", rope_theta)("factor", factor);
    fields("original_max_position_embeddings", original_max_position_embeddings);
    fields("attention_factor", attention_factor)("beta_fast", beta_fast)("beta_slow", beta_slow);
    fields("mscale", mscale)("mscale_all_dim", mscale_all_dim)("truncate", truncate);
    fields("low_freq_factor", low_freq_factor)("high_freq_factor", high_freq_factor);
  }
};

/// Cosines and sines `(N or 1, 1, T, head_dim)` by which queries and keys are rotated.
struct Rotation {
  taper::Tensor cos, sin;

  /// Rotates each pair of features (i, i + head_dim / 2) of `x` `(N, heads, T, head_dim)`.
  taper::Tensor operator()(const taper::Tensor& x) const;
};

/// Angles of the rotation at each position, computed in f32. Hugging Face: LlamaRotaryEmbedding.
class LlamaRotaryEmbedding : public taper::nn::Layer<LlamaRotaryEmbedding> {
 public:
  LlamaRotaryEmbedding(RopeParameters parameters, std::int64_t head_dim,
                       std::int64_t max_position_embeddings);
  RopeParameters parameters;
  std::int64_t head_dim, max_position_embeddings;
  double attention_scaling = 1;                   ///< factor of cosines and sines
  taper::nn::Buffer inv_freq, original_inv_freq;  ///< `(head_dim / 2)`, non-persistent
  TAPER_LAYER(LlamaRotaryEmbedding)

  /// Returns the rotation at positions `(N or 1, T)` in `dtype`. With dynamic scaling, the
  /// frequencies depend on the largest position of the call only.
  Rotation forward(const taper::Tensor& position_ids, taper::DType dtype) const;
};

}  // namespace llama
