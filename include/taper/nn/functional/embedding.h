// Embedding functions.
#pragma once
#include <concepts>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of embedding.
struct EmbeddingFuncOptions {
  /// Row whose gradient is 0; a negative index counts from the end.
  std::optional<IntArg> padding_idx{};
  /// Norm to which selected rows of a larger norm are scaled, in place.
  std::optional<FloatArg> max_norm{};
  FloatArg norm_type = 2.0;  ///< p of the p-norm of `max_norm`
  /// Divides the gradient of a row by the number of times that the input contains it.
  bool scale_grad_by_freq = false;
};

/// Returns the rows of `weight` `(V, D)` selected by the indices `input` (i64 or i32) of any shape
/// `(*)`: `(*, D)`. With `max_norm`, modifies `weight`. Throws ValueError if `padding_idx` is out
/// of range, and the errors of taper::embedding. PyTorch: torch.nn.functional.embedding.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 const EmbeddingFuncOptions& options = {});

/// Options of embedding_bag.
struct EmbeddingBagFuncOptions {
  /// First position of each bag `(B)`, for an input of shape `(N)`.
  OptionalTensor offsets{};
  std::optional<FloatArg> max_norm{};  ///< norm to which selected rows are scaled, in place
  FloatArg norm_type = 2.0;            ///< p of the p-norm of `max_norm`
  /// Divides the gradient of a row by the number of times that the input contains it.
  bool scale_grad_by_freq = false;
  std::string mode = "mean";  ///< reduction: "sum", "mean" or "max"
  /// Factors of the rows in mode "sum", in the shape of the input.
  OptionalTensor per_sample_weights{};
  /// The last offset is the end of the last bag.
  bool include_last_offset = false;
  /// Index that is excluded from the reduction; a negative index counts from the end.
  std::optional<IntArg> padding_idx{};
};

/// Reduces the rows of `weight` `(V, D)` selected by each bag of indices: `(B, D)`. An `input` of
/// shape `(B, N)` contains bags of N indices. For an `input` of shape `(N)`, `offsets` `(B)`
/// contains the first position of each bag. With `max_norm`, modifies `weight`. Throws ValueError
/// for an unknown mode or offsets that are missing, superfluous or not ascending from 0,
/// NotImplementedError for weights in a mode other than "sum", and the errors of
/// taper::embedding_bag. PyTorch: torch.nn.functional.embedding_bag.
Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options = {});
// A template, which braces never match: GCC ignores the name of a field in braces that convert to a
// class with constructors.
template <std::convertible_to<OptionalTensorRef> T>
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const T& offsets,
                     EmbeddingBagFuncOptions options = {}) {
  options.offsets = OptionalTensorRef(offsets);
  return functional::embedding_bag(input, weight, options);
}

/// Options of one_hot.
struct OneHotFuncOptions {
  IntArg num_classes = -1;  ///< -1: the largest index plus 1
};
/// Returns the indices `input` (i64) of shape `(*)` as vectors of shape `(*, num_classes)` that are
/// 1 at the index and 0 elsewhere. Throws DTypeError for another dtype, ValueError for an index
/// that is negative or not smaller than num_classes, or if the number of classes cannot be
/// inferred. PyTorch: torch.nn.functional.one_hot.
Tensor one_hot(const Tensor& input, const OneHotFuncOptions& options = {});
template <std::convertible_to<IntArg> N> Tensor one_hot(const Tensor& input, N num_classes) {
  return functional::one_hot(input, OneHotFuncOptions{.num_classes = num_classes});
}

}  // namespace nn::functional
}  // namespace taper
