// Cross entropy of a linear projection.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of linear_cross_entropy.
struct LinearCrossEntropyFuncOptions {
  OptionalTensor linear_bias{};    ///< of the projection, `(C)` or `(C, d1, ...)`
  OptionalTensor weight{};         ///< class weights `(C)`; default: all 1
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  /// Class index that does not contribute to the loss; default: -100. Must be absent if the target
  /// contains class probabilities.
  std::optional<IntArg> ignore_index{};
  FloatArg label_smoothing = 0;  ///< as for cross_entropy
};

/// Computes the cross entropy between a linear projection of `input` `(in_features)` or `(N,
/// in_features)` and `target`, as for cross_entropy. `linear_weight` is `(C, in_features)`, or `(C,
/// d1, ..., in_features)` for scores `(N, C, d1, ...)`. The scores are computed at once: PyTorch's
/// options for chunks are not supported. Throws ShapeError if shapes do not match, ValueError if
/// ignore_index is combined with class probabilities, and the errors of cross_entropy.
/// PyTorch: torch.nn.functional.linear_cross_entropy.
Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                            const LinearCrossEntropyFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
