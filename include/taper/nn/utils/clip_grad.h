// Clipping of gradients.
#pragma once
#include <span>

#include "taper/core/api.h"
#include "taper/core/ignorable.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::utils {

struct ClipOptions {
  double norm_type = 2.0;           ///< p of the p-norm, also inf, -inf and 0
  bool error_if_nonfinite = false;  ///< throw in place of scaling by a norm that is inf or NaN
};

/// The norm of all tensors taken as one vector, 0-dim. PyTorch: torch.nn.utils.get_total_norm.
/// Throws RuntimeError for a norm that is not finite if the options say so.
Tensor get_total_norm(std::span<const Tensor> tensors, const ClipOptions& options = {});

/// Multiplies the gradients by max_norm / (total_norm + 1e-6) where that is less than 1.
/// Parameters without gradient stay as they are. PyTorch: torch.nn.utils.clip_grads_with_norm_.
void clip_grads_with_norm_(std::span<const Tensor> parameters, double max_norm,
                           const Tensor& total_norm);

/// Both: scales the gradients of `parameters` so that their norm is at most `max_norm`, and returns
/// the norm they had; 0 if there are none. A norm that is NaN makes all gradients NaN, unless the
/// options ask for an error: RuntimeError, and nothing is scaled. PyTorch:
/// torch.nn.utils.clip_grad_norm_.
Ignorable<Tensor> clip_grad_norm_(std::span<const Tensor> parameters, double max_norm,
                                  const ClipOptions& options = {});
inline Ignorable<Tensor> clip_grad_norm_(const Tensor& parameter, double max_norm,
                                         const ClipOptions& options = {}) {
  return clip_grad_norm_(std::span(&parameter, 1), max_norm, options);
}

/// Brings every element of the gradients into [-clip_value, clip_value]. PyTorch:
/// torch.nn.utils.clip_grad_value_.
void clip_grad_value_(std::span<const Tensor> parameters, double clip_value);
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::span(&parameter, 1), clip_value);
}

}  // namespace nn::utils
}  // namespace taper
