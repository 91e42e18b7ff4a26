// Gradient clipping.
#pragma once
#include <initializer_list>
#include <span>

#include "taper/core/api.h"
#include "taper/core/ignorable.h"
#include "taper/core/tensor.h"
#include "taper/core/tensor_span.h"

namespace TAPER_API taper {
namespace nn::utils {

/// Options of get_total_norm and clip_grad_norm_.
struct ClipOptions {
  double norm_type = 2.0;           ///< order p of the norm; also inf, -inf and 0
  bool error_if_nonfinite = false;  ///< throws RuntimeError if the norm is inf or NaN
};

/// Returns the norm of all tensors, viewed as one vector, as a 0-dimensional tensor. Throws
/// RuntimeError if the norm is not finite and error_if_nonfinite is set.
/// PyTorch: torch.nn.utils.get_total_norm.
Tensor get_total_norm(std::span<const Tensor> tensors, const ClipOptions& options = {});
inline Tensor get_total_norm(std::initializer_list<Tensor> tensors,
                             const ClipOptions& options = {}) {
  return get_total_norm(taper::detail::as_span(tensors), options);
}

/// Multiplies the gradients of `parameters` by min(1, max_norm / (total_norm + 1e-6)). Parameters
/// without a gradient are skipped. PyTorch: torch.nn.utils.clip_grads_with_norm_.
void clip_grads_with_norm_(std::span<const Tensor> parameters, double max_norm,
                           const Tensor& total_norm);
inline void clip_grads_with_norm_(std::initializer_list<Tensor> parameters, double max_norm,
                                  const Tensor& total_norm) {
  clip_grads_with_norm_(taper::detail::as_span(parameters), max_norm, total_norm);
}

/// Scales the gradients of `parameters` so that their total norm is at most `max_norm`. Returns the
/// norm before scaling; 0 if no parameter has a gradient. If the norm is NaN, all gradients become
/// NaN. Throws RuntimeError, without scaling, if the norm is not finite and error_if_nonfinite is
/// set. PyTorch: torch.nn.utils.clip_grad_norm_.
Ignorable<Tensor> clip_grad_norm_(std::span<const Tensor> parameters, double max_norm,
                                  const ClipOptions& options = {});
inline Ignorable<Tensor> clip_grad_norm_(const Tensor& parameter, double max_norm,
                                         const ClipOptions& options = {}) {
  return clip_grad_norm_(taper::detail::as_span(parameter), max_norm, options);
}
inline Ignorable<Tensor> clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm,
                                         const ClipOptions& options = {}) {
  return clip_grad_norm_(taper::detail::as_span(parameters), max_norm, options);
}

/// Clamps the elements of the gradients of `parameters` to [-clip_value, clip_value].
/// PyTorch: torch.nn.utils.clip_grad_value_.
void clip_grad_value_(std::span<const Tensor> parameters, double clip_value);
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(taper::detail::as_span(parameter), clip_value);
}
inline void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value) {
  clip_grad_value_(taper::detail::as_span(parameters), clip_value);
}

}  // namespace nn::utils
}  // namespace taper
