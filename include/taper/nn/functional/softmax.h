// Softmax functions. Without `dim`, they choose a dimension implicitly and emit PyTorch's
// deprecation warning.
#pragma once
#include <concepts>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of softmax, log_softmax and softmin.
struct SoftmaxFuncOptions {
  std::optional<IntArg> dim{};   ///< dimension along which the results add up to 1
  std::optional<DType> dtype{};  ///< dtype to which the input is converted first
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
using SoftminFuncOptions = SoftmaxFuncOptions;

/// Computes exp(x_i) / sum_j exp(x_j) along `dim`. Throws the errors of taper::softmax.
/// PyTorch: torch.nn.functional.softmax.
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options = {});
template <std::convertible_to<IntArg> N>
Tensor softmax(const Tensor& input, N dim, SoftmaxFuncOptions options = {}) {
  options.dim = dim;
  return functional::softmax(input, options);
}
/// Computes log(softmax(x)) along `dim`. Throws the errors of taper::log_softmax.
/// PyTorch: torch.nn.functional.log_softmax.
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options = {});
template <std::convertible_to<IntArg> N>
Tensor log_softmax(const Tensor& input, N dim, LogSoftmaxFuncOptions options = {}) {
  options.dim = dim;
  return functional::log_softmax(input, options);
}
/// Computes softmax(-x) along `dim`. Throws the errors of taper::softmax.
/// PyTorch: torch.nn.functional.softmin.
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options = {});
template <std::convertible_to<IntArg> N>
Tensor softmin(const Tensor& input, N dim, SoftminFuncOptions options = {}) {
  options.dim = dim;
  return functional::softmin(input, options);
}

/// Options of gumbel_softmax.
struct GumbelSoftmaxFuncOptions {
  FloatArg tau = 1;   ///< temperature: divides the logits and the noise
  bool hard = false;  ///< returns one-hot vectors
  IntArg dim = -1;    ///< dimension along which the results add up to 1
};
/// Samples from the Gumbel-softmax distribution: softmax((logits + noise) / tau) along `dim`, with
/// Gumbel noise from the default generator and unnormalized log-probabilities `logits`. If `hard`
/// is set, returns the one-hot vectors of the maxima, with the gradient of the soft samples. Throws
/// DTypeError for an integer dtype. PyTorch: torch.nn.functional.gumbel_softmax.
Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor gumbel_softmax(const Tensor& logits, N tau, GumbelSoftmaxFuncOptions options = {}) {
  options.tau = tau;
  return functional::gumbel_softmax(logits, options);
}

}  // namespace nn::functional
}  // namespace taper
