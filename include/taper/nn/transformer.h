// Transformer layers (Vaswani et al., 2017).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/attention.h"
#include "taper/nn/dropout.h"
#include "taper/nn/module_list.h"
#include "taper/nn/normalization.h"

namespace TAPER_API taper {
namespace nn {

// Sequences are `(S, N, E)`, `(N, S, E)` with `batch_first`, or `(S, E)` without a batch dimension.
// Masks of shape `(L, S)` or `(N * num_heads, L, S)` exclude pairs of positions where they are
// true, or are added to the scores; key padding masks are `(N, S)`, or `(S)` without a batch
// dimension. `is_causal` asserts that the mask of the same prefix is the causal mask.

/// Options of TransformerEncoderLayer and TransformerDecoderLayer.
struct TransformerLayerOptions {
  std::int64_t dim_feedforward = 2048;  ///< features of the feedforward network
  double dropout = 0.1;
  std::string activation = "relu";  ///< of the feedforward network: "relu" or "gelu"
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< normalizes the input of each block instead of its output
  bool bias = true;         ///< linear layers and normalizations have a bias
  TAPER_FACTORY_OPTIONS
};

/// Self-attention followed by a feedforward network, each with dropout, a residual connection and
/// layer normalization. PyTorch: torch.nn.TransformerEncoderLayer.
class TransformerEncoderLayer : public Layer<TransformerEncoderLayer> {
 public:
  /// Throws ValueError for an unknown activation and for sizes that MultiheadAttention rejects.
  TransformerEncoderLayer(IntArg d_model, IntArg nhead,
                          const TransformerLayerOptions& options = {});

  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
  bool norm_first;
  std::string activation;
  TAPER_LAYER(TransformerEncoderLayer)

  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {}, bool is_causal = false) const;
  Value forward_kwargs(Values& args, const Value& kwargs) override;
};

/// Self-attention, attention to the memory, and a feedforward network, each with dropout, a
/// residual connection and layer normalization. PyTorch: torch.nn.TransformerDecoderLayer.
class TransformerDecoderLayer : public Layer<TransformerDecoderLayer> {
 public:
  /// Throws ValueError for an unknown activation and for sizes that MultiheadAttention rejects.
  TransformerDecoderLayer(IntArg d_model, IntArg nhead,
                          const TransformerLayerOptions& options = {});

  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;
  bool norm_first;
  std::string activation;
  TAPER_LAYER(TransformerDecoderLayer)

  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, bool tgt_is_causal = false,
                 bool memory_is_causal = false) const;
  Value forward_kwargs(Values& args, const Value& kwargs) override;
};

/// Stack of copies of an encoder layer, followed by an optional normalization. All copies have the
/// same initial parameters. Nested tensors are not supported; the options for them are stored only.
/// PyTorch: torch.nn.TransformerEncoder.
class TransformerEncoder : public Layer<TransformerEncoder> {
 public:
  /// Throws ValueError if `num_layers` is negative.
  TransformerEncoder(const TransformerEncoderLayer& encoder_layer, IntArg num_layers,
                     std::shared_ptr<Module> norm = nullptr, bool enable_nested_tensor = true,
                     bool mask_check = true);
  /// Creates a stack of copies of a layer of any class whose forward accepts `src_mask`,
  /// `is_causal` and `src_key_padding_mask` by name. A null layer creates an empty stack.
  TransformerEncoder(const std::shared_ptr<Module>& encoder_layer, IntArg num_layers,
                     std::shared_ptr<Module> norm = nullptr, bool enable_nested_tensor = true,
                     bool mask_check = true);

  ModuleList layers;
  std::int64_t num_layers;
  std::shared_ptr<Module> norm;
  bool enable_nested_tensor, mask_check;
  TAPER_LAYER(TransformerEncoder)

  /// If `is_causal` is not specified, compares the mask with the causal mask.
  Tensor forward(const Tensor& src, const Tensor& mask = {},
                 const Tensor& src_key_padding_mask = {}, std::optional<bool> is_causal = {}) const;
  Value forward_kwargs(Values& args, const Value& kwargs) override;
};

/// Stack of copies of a decoder layer, followed by an optional normalization. All copies have the
/// same initial parameters. PyTorch: torch.nn.TransformerDecoder.
class TransformerDecoder : public Layer<TransformerDecoder> {
 public:
  /// Throws ValueError if `num_layers` is negative.
  TransformerDecoder(const TransformerDecoderLayer& decoder_layer, IntArg num_layers,
                     std::shared_ptr<Module> norm = nullptr);
  /// Creates a stack of copies of a layer of any class whose forward accepts the arguments of
  /// TransformerDecoderLayer by name. A null layer creates an empty stack.
  TransformerDecoder(const std::shared_ptr<Module>& decoder_layer, IntArg num_layers,
                     std::shared_ptr<Module> norm = nullptr);

  ModuleList layers;
  std::int64_t num_layers;
  std::shared_ptr<Module> norm;
  TAPER_LAYER(TransformerDecoder)

  /// If `tgt_is_causal` is not specified, compares `tgt_mask` with the causal mask.
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, std::optional<bool> tgt_is_causal = {},
                 bool memory_is_causal = false) const;
  Value forward_kwargs(Values& args, const Value& kwargs) override;
};

/// Options of Transformer.
struct TransformerOptions {
  std::int64_t d_model = 512;  ///< features of the sequences
  std::int64_t nhead = 8;      ///< attention heads
  std::int64_t num_encoder_layers = 6, num_decoder_layers = 6;
  std::int64_t dim_feedforward = 2048;  ///< features of the feedforward networks
  double dropout = 0.1;
  std::string activation = "relu";  ///< of the feedforward networks: "relu" or "gelu"
  /// Replacements of the encoder and decoder, called with the arguments of those by name.
  std::shared_ptr<Module> custom_encoder{}, custom_decoder{};
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< normalizes the input of each block instead of its output
  bool bias = true;         ///< linear layers and normalizations have a bias
  TAPER_FACTORY_OPTIONS
};

/// Encoder and decoder: maps the sequences `src` and `tgt` to a sequence of the length of `tgt`.
/// PyTorch: torch.nn.Transformer.
///
/// Parameters with several dimensions are initialized from xavier_uniform_.
class Transformer : public Layer<Transformer> {
 public:
  /// Throws ValueError for an unknown activation and for sizes that MultiheadAttention rejects.
  explicit Transformer(const TransformerOptions& options = {});

  std::shared_ptr<Module> encoder, decoder;
  std::int64_t d_model, nhead;
  bool batch_first;
  TAPER_LAYER(Transformer)

  /// Throws RuntimeError if the batch sizes differ or the feature sizes are not d_model.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {},
                 const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                 const Tensor& src_key_padding_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, std::optional<bool> src_is_causal = {},
                 std::optional<bool> tgt_is_causal = {}, bool memory_is_causal = false) const;
  Value forward_kwargs(Values& args, const Value& kwargs) override;
  /// Returns the causal mask `(size, size)`: -inf above the diagonal, 0 elsewhere.
  /// PyTorch: torch.nn.Transformer.generate_square_subsequent_mask.
  static Tensor generate_square_subsequent_mask(IntArg size, std::optional<Device> device = {},
                                                std::optional<DType> dtype = {});

 private:
  void reset_parameters();
};

}  // namespace nn
}  // namespace taper
