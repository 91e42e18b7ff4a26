// Fused steps of the optimizers that update every element of a parameter independently.
//
// Each function performs one step of all given parameters in one pass over their elements, divided
// among the threads; `steps[i]` contains the coefficients for `tensors[i]`. The gradient and the
// state tensors must have the shape, dtype and device of their parameter. f16 and bf16 are computed
// in f32 and rounded when stored. Tensors that are not stored in row-major order in host memory are
// updated by the same formula, composed of tensor ops.
//
// If gradients are enabled (is_grad_enabled()), the step is recorded: the results are
// differentiable with respect to the previous values, the gradients and `recorded_lr`, a
// one-element tensor. A parameter must then not be a leaf that requires grad.
//
// All functions throw ShapeError, DTypeError or DeviceError, without any change, if tensors do not
// match. With `maximize`, g is the negated gradient.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {

/// Returns the value of a tensor with one element, such as a counter of steps.
double scalar_value(const Tensor& t);
/// Replaces the value of a tensor with one element, in no-grad mode.
void set_scalar_(const Tensor& t, double value);

/// Parameter, its gradient and its state. The order of the state tensors is that in the
/// documentation of the function; tensors that it does not use are null.
struct StepTensors {
  const Tensor* param = nullptr;
  const Tensor* grad = nullptr;
  std::array<const Tensor*, 3> state{};
};

/// Throws the errors of the functions below for these tensors without a step. `op` is the name in
/// the texts.
void check_step(std::string_view op, std::span<const StepTensors> tensors);

/// Coefficients of one step of Adam.
struct AdamStep {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double bias_correction1 = 1;       ///< 1 - beta1^t
  double bias_correction2_sqrt = 1;  ///< sqrt(1 - beta2^t)
  bool amsgrad = false, decoupled = false, maximize = false;
  const Tensor* recorded_lr = nullptr;  ///< replaces lr in a recorded step
};
/// Adam and AdamW. State: m (exp_avg), v (exp_avg_sq) and, with AMSGrad, u (max_exp_avg_sq).
///
///     p = p * (1 - lr * weight_decay)  if decoupled, otherwise  g = g + weight_decay * p
///     m = m + (1 - beta1) * (g - m)
///     v = beta2 * v + (1 - beta2) * g^2
///     u = max(u, v)  with AMSGrad, otherwise  u = v
///     p = p - lr / bias_correction1 * m / (sqrt(u) / bias_correction2_sqrt + eps)
///
/// PyTorch: torch._fused_adam_, torch._fused_adamw_.
void adam_step_(std::span<const StepTensors> tensors, std::span<const AdamStep> steps);

/// Coefficients of one step of Adamax.
struct AdamaxStep {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double bias_correction = 1;  ///< 1 - beta1^t
  bool maximize = false;
};
/// Adamax. State: m (exp_avg), u (exp_inf).
///
///     g = g + weight_decay * p
///     m = m + (1 - beta1) * (g - m)
///     u = max(beta2 * u, |g| + eps)
///     p = p - lr / bias_correction * m / u
///
/// PyTorch: torch.optim.adamax.adamax.
void adamax_step_(std::span<const StepTensors> tensors, std::span<const AdamaxStep> steps);

/// Coefficients of one step of NAdam.
struct NAdamStep {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double bias_correction2 = 1;  ///< 1 - beta2^t
  /// a and b of nadam_step_, without the factor lr if `recorded_lr` is given
  double grad_factor = 1, average_factor = 1;
  bool decoupled = false, maximize = false;
  const Tensor* recorded_lr = nullptr;  ///< replaces lr in a recorded step
};
/// NAdam. State: m (exp_avg), v (exp_avg_sq).
///
///     p = p * (1 - lr * weight_decay)  if decoupled, otherwise  g = g + weight_decay * p
///     m = m + (1 - beta1) * (g - m)
///     v = beta2 * v + (1 - beta2) * g^2
///     d = sqrt(v / bias_correction2) + eps
///     p = p - a * g / d - b * m / d
///
/// PyTorch: torch.optim.nadam.nadam.
void nadam_step_(std::span<const StepTensors> tensors, std::span<const NAdamStep> steps);

/// Coefficients of one step of RAdam.
struct RAdamStep {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double bias_correction1 = 1;       ///< 1 - beta1^t
  double bias_correction2_sqrt = 1;  ///< sqrt(1 - beta2^t)
  double rectification = 0;          ///< r; 0 while the variance of the step is intractable
  bool decoupled = false, maximize = false;
  const Tensor* recorded_lr = nullptr;  ///< replaces lr in a recorded step
};
/// RAdam. State: m (exp_avg), v (exp_avg_sq).
///
///     p = p * (1 - lr * weight_decay)  if decoupled, otherwise  g = g + weight_decay * p
///     m = m + (1 - beta1) * (g - m)
///     v = beta2 * v + (1 - beta2) * g^2
///     s = r * bias_correction2_sqrt / (sqrt(v) + eps)  if r > 0, otherwise 1
///     p = p - lr * m / bias_correction1 * s
///
/// PyTorch: torch.optim.radam.radam.
void radam_step_(std::span<const StepTensors> tensors, std::span<const RAdamStep> steps);

/// Coefficients of one step of RMSprop.
struct RMSpropStep {
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};
/// RMSprop. State: v (square_avg); b (momentum_buffer), null without momentum; a (grad_avg), null
/// unless centered.
///
///     g = g + weight_decay * p
///     v = alpha * v + (1 - alpha) * g^2
///     a = a + (1 - alpha) * (g - a),  d = sqrt(v - a^2) + eps  if centered,
///     otherwise  d = sqrt(v) + eps
///     b = momentum * b + g / d,  p = p - lr * b  with momentum,  otherwise  p = p - lr * g / d
///
/// PyTorch: torch.optim.rmsprop.rmsprop.
void rmsprop_step_(std::span<const StepTensors> tensors, std::span<const RMSpropStep> steps);

/// Coefficients of one step of Adagrad.
struct AdagradStep {
  double lr = 1e-2;  ///< lr / (1 + (t - 1) * lr_decay)
  double eps = 1e-10, weight_decay = 0;
  bool maximize = false;
};
/// Adagrad. State: s (sum).
///
///     g = g + weight_decay * p
///     s = s + g^2
///     p = p - lr * g / (sqrt(s) + eps)
///
/// PyTorch: torch._fused_adagrad_.
void adagrad_step_(std::span<const StepTensors> tensors, std::span<const AdagradStep> steps);

/// Coefficients of one step of Adadelta.
struct AdadeltaStep {
  double lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0;
  bool maximize = false;
};
/// Adadelta. State: v (square_avg), u (acc_delta).
///
///     g = g + weight_decay * p
///     v = rho * v + (1 - rho) * g^2
///     d = sqrt(u + eps) / sqrt(v + eps) * g
///     u = rho * u + (1 - rho) * d^2
///     p = p - lr * d
///
/// PyTorch: torch.optim.adadelta.adadelta.
void adadelta_step_(std::span<const StepTensors> tensors, std::span<const AdadeltaStep> steps);

/// Coefficients of one step of Rprop.
struct RpropStep {
  double eta_minus = 0.5, eta_plus = 1.2, step_size_min = 1e-6, step_size_max = 50;
  bool maximize = false;
};
/// Rprop. State: q (prev, the previous gradient), s (step_size).
///
///     f = eta_plus if g * q > 0, eta_minus if g * q < 0, otherwise 1
///     s = clamp(s * f, step_size_min, step_size_max)
///     g = 0 if g * q < 0
///     p = p - sign(g) * s
///     q = g
///
/// PyTorch: torch.optim.rprop.rprop.
void rprop_step_(std::span<const StepTensors> tensors, std::span<const RpropStep> steps);

/// Coefficients of one step of ASGD.
struct ASGDStep {
  double lambd = 1e-4, weight_decay = 0;
  double eta = 1e-2;  ///< learning rate of this step
  double mu = 1;      ///< weight of the new value in the average
  bool maximize = false;
};
/// ASGD. State: a (ax, the average).
///
///     g = g + weight_decay * p
///     p = p * (1 - lambd * eta) - eta * g
///     a = p if mu = 1, otherwise  a = a + mu * (p - a)
///
/// PyTorch: torch.optim.asgd.asgd.
void asgd_step_(std::span<const StepTensors> tensors, std::span<const ASGDStep> steps);

}  // namespace ops
}  // namespace taper
