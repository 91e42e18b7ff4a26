// What optimizers do to one parameter, in one pass over its elements.
#pragma once
#include <span>

#include "taper/core/api.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {

/// The options of one step of stochastic gradient descent.
struct SgdStep {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};

/// Moves `param` against `grad`, both of one shape and dtype, outside of autograd:
///
///     grad = ±grad + weight_decay * param
///     momentum_buffer = momentum * momentum_buffer + (1 - dampening) * grad   (first: grad)
///     param -= lr * (nesterov ? grad + momentum * momentum_buffer : momentum_buffer)
///
/// Without momentum the buffer is not used and `grad` itself is taken; an undefined buffer is made.
/// f16 and bf16 are computed in f32 and rounded when stored. PyTorch: what torch._fused_sgd_ does
/// for one parameter. Throws ShapeError, DTypeError or DeviceError for tensors that do not fit.
void sgd_step_(const Tensor& param, const Tensor& grad, Tensor& momentum_buffer,
               const SgdStep& step);

/// The p-norm of the p-norms of all tensors, 0-dim, outside of autograd; 0 of none. PyTorch: what
/// torch.nn.utils.get_total_norm computes. Throws NotImplementedError for integers.
Tensor total_norm(std::span<const Tensor> tensors, double p = 2);
/// Multiplies all tensors, in place and outside of autograd, by a 0-dim one. PyTorch:
/// torch._foreach_mul_.
void scale_(std::span<const Tensor> tensors, const Tensor& factor);

}  // namespace ops
}  // namespace taper
