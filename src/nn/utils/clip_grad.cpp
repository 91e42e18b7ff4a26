#include "taper/nn/utils/clip_grad.h"

#include <cmath>
#include <vector>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/optimizer.h"

namespace taper::nn::utils {
namespace {

std::vector<Tensor> gradients_of(std::span<const Tensor> parameters) {
  std::vector<Tensor> grads;
  grads.reserve(parameters.size());
  for (const Tensor& p : parameters)
    if (const Tensor& g = p.grad(); g.defined()) grads.push_back(g);
  return grads;
}

void scale_down(std::span<const Tensor> grads, double max_norm, const Tensor& total_norm) {
  const NoGrad guard;
  // Multiplies also by 1, as PyTorch does: NaN propagates, and the norm is not read, which would
  // synchronize the device.
  ops::scale_(grads, (max_norm / (total_norm + 1e-6)).clamp_max(1.0));
}

}  // namespace

Tensor get_total_norm(std::span<const Tensor> tensors, const ClipOptions& options) {
  const Tensor norm = ops::total_norm(tensors, options.norm_type);
  if (options.error_if_nonfinite && !std::isfinite(norm.item().to_double()))
    fail<RuntimeError>(
        "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be "
        "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
        "`error_if_nonfinite=False`",
        python_repr(options.norm_type));
  return norm;
}

void clip_grads_with_norm_(std::span<const Tensor> parameters, double max_norm,
                           const Tensor& total_norm) {
  scale_down(gradients_of(parameters), max_norm, total_norm);
}

Ignorable<Tensor> clip_grad_norm_(std::span<const Tensor> parameters, double max_norm,
                                  const ClipOptions& options) {
  const std::vector<Tensor> grads = gradients_of(parameters);
  Tensor norm = get_total_norm(grads, options);
  scale_down(grads, max_norm, norm);
  return norm;
}

void clip_grad_value_(std::span<const Tensor> parameters, double clip_value) {
  const NoGrad guard;
  for (const Tensor& g : gradients_of(parameters)) g.clamp_(-clip_value, clip_value);
}

}  // namespace taper::nn::utils
