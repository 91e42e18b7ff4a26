// Softmax and classification losses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods of softmax.
struct LossMethods {
  /// Computes exp(x_i) / sum_j exp(x_j) along `dim`; see taper::softmax.
  /// PyTorch: torch.Tensor.softmax.
  Tensor softmax(IntArg dim, std::optional<DType> dtype = {}) const;
  /// Computes log(softmax(x)) along `dim`; see taper::log_softmax.
  /// PyTorch: torch.Tensor.log_softmax.
  Tensor log_softmax(IntArg dim, std::optional<DType> dtype = {}) const;
};
}  // namespace ops

/// Computes exp(x_i) / sum_j exp(x_j) along `dim`. If `dtype` is given, the input is converted to
/// it first. Throws DTypeError for an integer dtype, IndexError if `dim` is out of range.
/// PyTorch: torch.softmax.
Tensor softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});
/// Computes log(softmax(x)) along `dim` in a numerically stable way. If `dtype` is given, the input
/// is converted to it first. Throws DTypeError for an integer dtype, IndexError if `dim` is out of
/// range. PyTorch: torch.log_softmax.
Tensor log_softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});

/// Computes the negative log likelihood -weight[target] * input[target] for log-probabilities
/// `input` of shape `(C)`, `(N, C)` or `(N, C, d1, ...)` and class indices `target` (i64 or u8) of
/// the same shape without C. `weight` `(C)` is optional. Targets equal to `ignore_index` do not
/// contribute. `reduction` is "mean" (the sum divided by the sum of the weights), "sum" or "none"
/// (the shape of the target). Throws ShapeError if shapes do not match, DTypeError if a dtype is
/// not supported, ValueError for an unknown reduction, and IndexError for a target out of range.
/// PyTorch: torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, OptionalTensorRef weight = {},
                IntArg ignore_index = -100, const std::string& reduction = "mean");

/// Computes nll_loss(log_softmax(input), target) for scores `input` of shape `(C)`, `(N, C)` or
/// `(N, C, d1, ...)`. `target` contains class indices as for nll_loss, or, in the shape of the
/// input, class probabilities, to which `ignore_index` does not apply. Throws the errors of
/// nll_loss. PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target, OptionalTensorRef weight = {},
                     IntArg ignore_index = -100, const std::string& reduction = "mean");

}  // namespace taper
