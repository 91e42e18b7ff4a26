// Softmax and its kin. Without a dimension, one is guessed as old PyTorch did, with a warning.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// exp(x) / sum(exp(x)) along `dim`; with a dtype the input is converted first. PyTorch: F.softmax.
Tensor softmax(const Tensor& input, std::optional<IntArg> dim = {},
               std::optional<DType> dtype = {});
/// The logarithm of softmax. PyTorch: F.log_softmax.
Tensor log_softmax(const Tensor& input, std::optional<IntArg> dim = {},
                   std::optional<DType> dtype = {});
/// softmax of -x. PyTorch: F.softmin.
Tensor softmin(const Tensor& input, std::optional<IntArg> dim = {},
               std::optional<DType> dtype = {});

/// Draws from the categorical distribution that the unnormalised log-probabilities `logits`
/// describe along `dim`, in a way that has a gradient: softmax((logits + noise) / tau) with Gumbel
/// noise from the default generator. `hard` gives the one-hot vectors of the largest elements, with
/// the gradient of the soft ones. PyTorch: F.gumbel_softmax. Throws DTypeError for integers.
Tensor gumbel_softmax(const Tensor& logits, FloatArg tau = 1, bool hard = false, IntArg dim = -1);

}  // namespace nn::functional
}  // namespace taper
