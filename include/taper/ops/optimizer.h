// Fused optimizer steps and multi-tensor operations.
#pragma once
#include <span>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace ops {

/// Options of one step of stochastic gradient descent.
struct SgdStep {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
  const Tensor* recorded_lr = nullptr;  ///< replaces lr in a recorded step
};

/// Tensors of one parameter.
struct SgdTensors {
  const Tensor* param;
  const Tensor* grad;
  Tensor momentum_buffer;  ///< undefined before the first step
};

/// Updates each `param` by one step of stochastic gradient descent with gradient `grad`, of the
/// same shape and dtype:
///
///     grad = ±grad + weight_decay * param
///     momentum_buffer = momentum * momentum_buffer + (1 - dampening) * grad   (first step: grad)
///     param -= lr * (nesterov ? grad + momentum * momentum_buffer : momentum_buffer)
///
/// With `maximize`, the gradient is negated. Without momentum, `grad` replaces the buffer, which is
/// not accessed. An undefined buffer is created. If gradients are enabled (is_grad_enabled()), the
/// step is recorded, also with respect to `recorded_lr`, and the buffer replaced; the parameter
/// must not be a leaf that requires grad. f16 and bf16 are computed in f32 and rounded when stored.
/// Throws ShapeError, DTypeError or DeviceError, without any change, if the tensors do not match.
/// PyTorch: torch._fused_sgd_.
void sgd_step_(std::span<SgdTensors> tensors, const SgdStep& step);
/// Throws the errors of `sgd_step_` for these tensors without a step.
void check_sgd_step(std::span<const SgdTensors> tensors, const SgdStep& step);

/// Returns the p-norm of the p-norms of all tensors, 0-dimensional, in no-grad mode; 0 if
/// `tensors` is empty. Throws NotImplementedError for an integer dtype.
/// PyTorch: torch.nn.utils.get_total_norm.
Tensor total_norm(std::span<const Tensor> tensors, double p = 2);
/// Multiplies all tensors in place by a 0-dimensional tensor, in no-grad mode.
/// PyTorch: torch._foreach_mul_.
void scale_(std::span<const Tensor> tensors, const Tensor& factor);

}  // namespace ops
}  // namespace taper
