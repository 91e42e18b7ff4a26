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
  IntArg dim_feedforward = 2048;  ///< features of the feedforward network
  FloatArg dropout = 0.1;
  std::string activation = "relu";  ///< of the feedforward network: "relu" or "gelu"
  FloatArg layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< normalizes the input of each block instead of its output
  bool bias = true;         ///< linear layers and normalizations have a bias
  TAPER_FACTORY_OPTIONS
};
using TransformerEncoderLayerOptions = TransformerLayerOptions;
using TransformerDecoderLayerOptions = TransformerLayerOptions;

/// Optional arguments of the forward of TransformerEncoderLayer.
struct TransformerEncoderLayerForwardOptions {
  OptionalTensor src_mask{}, src_key_padding_mask{};
  bool is_causal = false;
  TAPER_OPTIONS(src_mask, src_key_padding_mask, is_causal)
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

  Tensor forward(const Tensor& src,
                 const TransformerEncoderLayerForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "src, src_mask=None, src_key_padding_mask=None, is_causal=False";
};

/// Optional arguments of the forward of TransformerDecoderLayer.
struct TransformerDecoderLayerForwardOptions {
  OptionalTensor tgt_mask{}, memory_mask{}, tgt_key_padding_mask{}, memory_key_padding_mask{};
  bool tgt_is_causal = false, memory_is_causal = false;
  TAPER_OPTIONS(tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
                memory_is_causal)
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

  Tensor forward(const Tensor& tgt, const Tensor& memory,
                 const TransformerDecoderLayerForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
      "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False";
};

/// Options of TransformerEncoder.
struct TransformerEncoderOptions {
  OptionalModule norm{};  ///< normalization of the output
  bool enable_nested_tensor = true, mask_check = true;
};

/// Optional arguments of the forward of TransformerEncoder.
struct TransformerEncoderForwardOptions {
  OptionalTensor mask{}, src_key_padding_mask{};
  std::optional<bool> is_causal{};  ///< default: compares the mask with the causal mask
  TAPER_OPTIONS(mask, src_key_padding_mask, is_causal)
};

/// Stack of copies of an encoder layer, followed by an optional normalization. All copies have the
/// same initial parameters. Nested tensors are not supported; the options for them are stored only.
/// PyTorch: torch.nn.TransformerEncoder.
class TransformerEncoder : public Layer<TransformerEncoder> {
 public:
  /// Throws ValueError if `num_layers` is negative.
  TransformerEncoder(const TransformerEncoderLayer& encoder_layer, IntArg num_layers,
                     const TransformerEncoderOptions& options = {});
  /// Creates a stack of copies of a layer of any class whose forward accepts `src_mask`,
  /// `is_causal` and `src_key_padding_mask` by name. A null layer creates an empty stack.
  TransformerEncoder(const std::shared_ptr<Module>& encoder_layer, IntArg num_layers,
                     const TransformerEncoderOptions& options = {});
  /// As above, with the normalization by position.
  template <class Layer, detail::ModuleArgument Norm>
  TransformerEncoder(const Layer& encoder_layer, IntArg count, Norm&& final_norm)
      : TransformerEncoder(encoder_layer, count,
                           TransformerEncoderOptions{.norm = std::forward<Norm>(final_norm)}) {}

  ModuleList layers;
  std::int64_t num_layers;
  std::shared_ptr<Module> norm;
  bool enable_nested_tensor, mask_check;
  TAPER_LAYER(TransformerEncoder)

  Tensor forward(const Tensor& src, const TransformerEncoderForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "src, mask=None, src_key_padding_mask=None, is_causal=None";
};

/// Options of TransformerDecoder.
struct TransformerDecoderOptions {
  OptionalModule norm{};  ///< normalization of the output
};

/// Optional arguments of the forward of TransformerDecoder.
struct TransformerDecoderForwardOptions {
  OptionalTensor tgt_mask{}, memory_mask{}, tgt_key_padding_mask{}, memory_key_padding_mask{};
  std::optional<bool> tgt_is_causal{};  ///< default: compares tgt_mask with the causal mask
  bool memory_is_causal = false;
  TAPER_OPTIONS(tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
                memory_is_causal)
};

/// Stack of copies of a decoder layer, followed by an optional normalization. All copies have the
/// same initial parameters. PyTorch: torch.nn.TransformerDecoder.
class TransformerDecoder : public Layer<TransformerDecoder> {
 public:
  /// Throws ValueError if `num_layers` is negative.
  TransformerDecoder(const TransformerDecoderLayer& decoder_layer, IntArg num_layers,
                     const TransformerDecoderOptions& options = {});
  /// Creates a stack of copies of a layer of any class whose forward accepts the arguments of
  /// TransformerDecoderLayer by name. A null layer creates an empty stack.
  TransformerDecoder(const std::shared_ptr<Module>& decoder_layer, IntArg num_layers,
                     const TransformerDecoderOptions& options = {});
  /// As above, with the normalization by position.
  template <class Layer, detail::ModuleArgument Norm>
  TransformerDecoder(const Layer& decoder_layer, IntArg count, Norm&& final_norm)
      : TransformerDecoder(decoder_layer, count,
                           TransformerDecoderOptions{.norm = std::forward<Norm>(final_norm)}) {}

  ModuleList layers;
  std::int64_t num_layers;
  std::shared_ptr<Module> norm;
  TAPER_LAYER(TransformerDecoder)

  Tensor forward(const Tensor& tgt, const Tensor& memory,
                 const TransformerDecoderForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
      "memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False";
};

/// Options of Transformer.
struct TransformerOptions {
  IntArg d_model = 512;  ///< features of the sequences
  IntArg nhead = 8;      ///< attention heads
  IntArg num_encoder_layers = 6, num_decoder_layers = 6;
  IntArg dim_feedforward = 2048;  ///< features of the feedforward networks
  FloatArg dropout = 0.1;
  std::string activation = "relu";  ///< of the feedforward networks: "relu" or "gelu"
  /// Replacements of the encoder and decoder, called with the arguments of those by name.
  OptionalModule custom_encoder{}, custom_decoder{};
  FloatArg layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< normalizes the input of each block instead of its output
  bool bias = true;         ///< linear layers and normalizations have a bias
  TAPER_FACTORY_OPTIONS
};

/// Optional arguments of the forward of Transformer.
struct TransformerForwardOptions {
  OptionalTensor src_mask{}, tgt_mask{}, memory_mask{}, src_key_padding_mask{},
      tgt_key_padding_mask{}, memory_key_padding_mask{};
  std::optional<bool> src_is_causal{}, tgt_is_causal{};  ///< default: compares the masks
  bool memory_is_causal = false;
  TAPER_OPTIONS(src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask,
                memory_key_padding_mask, src_is_causal, tgt_is_causal, memory_is_causal)
};

/// Encoder and decoder: maps the sequences `src` and `tgt` to a sequence of the length of `tgt`.
/// PyTorch: torch.nn.Transformer.
///
/// Parameters with several dimensions are initialized from xavier_uniform_.
class Transformer : public Layer<Transformer> {
 public:
  /// Throws ValueError for an unknown activation and for sizes that MultiheadAttention rejects.
  explicit Transformer(const TransformerOptions& options = {});
  explicit Transformer(detail::NoOptions) : Transformer(TransformerOptions{}) {}

  std::shared_ptr<Module> encoder, decoder;
  std::int64_t d_model, nhead;
  bool batch_first;
  TAPER_LAYER(Transformer)

  /// Throws RuntimeError if the batch sizes differ or the feature sizes are not d_model.
  Tensor forward(const Tensor& src, const Tensor& tgt,
                 const TransformerForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
      "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, "
      "tgt_is_causal=None, memory_is_causal=False";
  /// Returns the causal mask `(size, size)`: -inf above the diagonal, 0 elsewhere.
  /// PyTorch: torch.nn.Transformer.generate_square_subsequent_mask.
  static Tensor generate_square_subsequent_mask(IntArg size, std::optional<Device> device = {},
                                                std::optional<DType> dtype = {});

 private:
  void reset_parameters();
};

}  // namespace nn
}  // namespace taper
