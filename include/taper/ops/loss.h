// Softmax.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_bool.h"

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

}  // namespace taper
