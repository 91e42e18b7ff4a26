// Softmax and the losses that stand on it.
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
struct LossMethods {
  /// exp(x) / sum(exp(x)) along `dim`.
  Tensor softmax(IntArg dim, std::optional<DType> dtype = {}) const;
  /// The logarithm of softmax, without its loss of digits.
  Tensor log_softmax(IntArg dim, std::optional<DType> dtype = {}) const;
};
}  // namespace ops

/// exp(input) / sum(exp(input)) along `dim`, in the shape of the input; with a dtype the input is
/// converted to it first. PyTorch: torch.softmax. Throws DTypeError for integers, IndexError for a
/// dimension out of range.
Tensor softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});
/// log(softmax(input)), computed without its loss of digits. PyTorch: torch.log_softmax.
Tensor log_softmax(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});

/// The negative log likelihood -weight[target] * input[target] of log-probabilities `input` (C),
/// (N, C) or (N, C, d1, ...), for class indices `target` (i64 or u8) of the same shape without C.
/// `weight` (C) is optional. Samples whose target is `ignore_index` count nothing; "mean" divides
/// by the sum of the weights, "sum" adds up, "none" keeps the shape of the target.
/// PyTorch: torch.nn.functional.nll_loss. Throws ShapeError, DTypeError, ValueError for an unknown
/// reduction, and IndexError for a target that is no class.
Tensor nll_loss(const Tensor& input, const Tensor& target, OptionalTensorRef weight = {},
                IntArg ignore_index = -100, const std::string& reduction = "mean");

/// nll_loss of log_softmax of the scores `input` (C), (N, C) or (N, C, d1, ...). `target` holds
/// class indices as for nll_loss, or, in the shape of the input, the probability of each class.
/// PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target, OptionalTensorRef weight = {},
                     IntArg ignore_index = -100, const std::string& reduction = "mean");

}  // namespace taper
