// Embedding layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of Embedding.
struct EmbeddingOptions {
  /// Row that is initialized to 0 and has no gradient; a negative index counts from the end.
  std::optional<IntArg> padding_idx{};
  /// Norm to which selected rows of a larger norm are scaled by each call, in place.
  std::optional<FloatArg> max_norm{};
  FloatArg norm_type = 2.0;  ///< p of the p-norm of `max_norm`
  /// Divides the gradient of each row by the number of occurrences of its index in the input.
  bool scale_grad_by_freq = false;
  TAPER_FACTORY_OPTIONS
};
/// Options of Embedding::from_pretrained.
struct PretrainedEmbeddingOptions {
  bool freeze = true;  ///< the weight does not require gradients
  std::optional<IntArg> padding_idx{};
  std::optional<FloatArg> max_norm{};
  FloatArg norm_type = 2.0;
  bool scale_grad_by_freq = false;
};

/// Returns the rows of the weight selected by indices (i64 or i32): `(*)` to `(*, embedding_dim)`.
/// Sparse gradients are not supported. PyTorch: torch.nn.Embedding.
///
/// weight `(num_embeddings, embedding_dim)` is initialized from the standard normal distribution,
/// row `padding_idx` with 0.
///
///   nn::Embedding words(10000, 64, {.padding_idx = 0});
///   Tensor x = words(tokens);
class Embedding : public Layer<Embedding> {
 public:
  /// Throws ValueError if a size is negative or `padding_idx` is out of range.
  Embedding(IntArg num_embeddings, IntArg embedding_dim, const EmbeddingOptions& options = {});
  /// Returns a layer whose weight is the matrix `embeddings` itself. Throws ValueError unless
  /// `embeddings` is a matrix, or if `padding_idx` is out of range.
  /// PyTorch: torch.nn.Embedding.from_pretrained.
  static Embedding from_pretrained(const Tensor& embeddings,
                                   const PretrainedEmbeddingOptions& options = {});

  std::int64_t num_embeddings, embedding_dim;
  std::optional<std::int64_t> padding_idx;
  std::optional<double> max_norm;
  double norm_type;
  bool scale_grad_by_freq;
  Parameter weight;
  TAPER_LAYER(Embedding)

  /// Re-initializes the weight from the default generator.
  void reset_parameters();
  /// Throws IndexError for an index out of range, DTypeError if the input has another dtype.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;

 private:
  Embedding(const Tensor& weight, bool freeze, const EmbeddingOptions& options);
};

/// Options of EmbeddingBag.
struct EmbeddingBagOptions {
  /// Norm to which selected rows of a larger norm are scaled by each call, in place.
  std::optional<FloatArg> max_norm{};
  FloatArg norm_type = 2.0;  ///< p of the p-norm of `max_norm`
  /// Divides the gradient of each row by the number of occurrences of its index in the input.
  bool scale_grad_by_freq = false;
  std::string mode = "mean";         ///< reduction: "sum", "mean" or "max"
  bool include_last_offset = false;  ///< the last offset is the end of the last bag
  /// Row that is initialized to 0 and excluded from bags; a negative index counts from the end.
  std::optional<IntArg> padding_idx{};
  TAPER_FACTORY_OPTIONS
};
/// Options of EmbeddingBag::from_pretrained.
struct PretrainedEmbeddingBagOptions {
  bool freeze = true;  ///< the weight does not require gradients
  std::optional<FloatArg> max_norm{};
  FloatArg norm_type = 2.0;
  bool scale_grad_by_freq = false;
  std::string mode = "mean";
  bool include_last_offset = false;
  std::optional<IntArg> padding_idx{};
};

/// Options of EmbeddingBag::forward.
struct EmbeddingBagForwardOptions {
  OptionalTensor offsets{};             ///< first position of each bag `(B)`, for an input `(N)`
  OptionalTensor per_sample_weights{};  ///< factors of the rows in mode "sum", as the input
  TAPER_OPTIONS(offsets, per_sample_weights)
};

/// Reduces the rows of the weight selected by bags of indices: `(B, N)`, or `(N)` with the first
/// positions of the bags `(B)`, to `(B, embedding_dim)`. Sparse gradients are not supported.
/// PyTorch: torch.nn.EmbeddingBag.
///
/// weight `(num_embeddings, embedding_dim)` is initialized from the standard normal distribution,
/// row `padding_idx` with 0.
class EmbeddingBag : public Layer<EmbeddingBag> {
 public:
  /// Throws ValueError if a size is negative or `padding_idx` is out of range.
  EmbeddingBag(IntArg num_embeddings, IntArg embedding_dim,
               const EmbeddingBagOptions& options = {});
  /// Returns a layer whose weight is the matrix `embeddings` itself. Throws ValueError unless
  /// `embeddings` is a matrix, or if `padding_idx` is out of range.
  /// PyTorch: torch.nn.EmbeddingBag.from_pretrained.
  static EmbeddingBag from_pretrained(const Tensor& embeddings,
                                      const PretrainedEmbeddingBagOptions& options = {});

  std::int64_t num_embeddings, embedding_dim;
  std::optional<double> max_norm;
  double norm_type;
  bool scale_grad_by_freq;
  std::string mode;
  bool include_last_offset;
  std::optional<std::int64_t> padding_idx;
  Parameter weight;
  TAPER_LAYER(EmbeddingBag)

  /// Re-initializes the weight from the default generator.
  void reset_parameters();
  /// Throws the errors of functional::embedding_bag.
  Tensor forward(const Tensor& input, const EmbeddingBagForwardOptions& options = {}) const;
  static constexpr const char* forward_signature = "input, offsets=None, per_sample_weights=None";
  std::string extra_repr() const override;

 private:
  EmbeddingBag(const Tensor& weight, bool freeze, const EmbeddingBagOptions& options);
};

}  // namespace nn
}  // namespace taper
