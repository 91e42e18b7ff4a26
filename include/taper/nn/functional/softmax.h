// Softmax functions. Without `dim`, they choose a dimension implicitly and emit PyTorch's
// deprecation warning.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Computes exp(x_i) / sum_j exp(x_j) along `dim`. If `dtype` is given, the input is converted to
/// it first. Throws the errors of taper::softmax. PyTorch: torch.nn.functional.softmax.
Tensor softmax(const Tensor& input, std::optional<IntArg> dim = {},
               std::optional<DType> dtype = {});
/// Computes log(softmax(x)) along `dim`. If `dtype` is given, the input is converted to it first.
/// Throws the errors of taper::log_softmax. PyTorch: torch.nn.functional.log_softmax.
Tensor log_softmax(const Tensor& input, std::optional<IntArg> dim = {},
                   std::optional<DType> dtype = {});
/// Computes softmax(-x) along `dim`. If `dtype` is given, the input is converted to it first.
/// Throws the errors of taper::softmax. PyTorch: torch.nn.functional.softmin.
Tensor softmin(const Tensor& input, std::optional<IntArg> dim = {},
               std::optional<DType> dtype = {});

/// Samples from the Gumbel-softmax distribution: softmax((logits + noise) / tau) along `dim`, with
/// Gumbel noise from the default generator and unnormalized log-probabilities `logits`. If `hard`
/// is set, returns the one-hot vectors of the maxima, with the gradient of the soft samples. Throws
/// DTypeError for an integer dtype. PyTorch: torch.nn.functional.gumbel_softmax.
Tensor gumbel_softmax(const Tensor& logits, FloatArg tau = 1, bool hard = false, IntArg dim = -1);

}  // namespace nn::functional
}  // namespace taper
