#include "core/check.h"
#include "core/named_call.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/norm.h"

namespace taper {
namespace {

/// Returns the tensor repeated once per sample, or nullopt if it is absent.
std::optional<Tensor> repeat_per_sample(OptionalTensorRef t, std::int64_t samples) {
  if (!t) return std::nullopt;
  return t->expand({samples, t->size(0)}).reshape({samples * t->size(0)});
}

void check_instance_norm(const Tensor& input, OptionalTensorRef mean, OptionalTensorRef var,
                         bool use_input_stats) {
  if (input.dim() < 2)
    fail<ShapeError>(
        "instance_norm: expected an input of at least 2 dimensions (N, C, ...), got {}",
        input.shape().str());
  if (!use_input_stats) {
    if (!mean || !var)
      fail<RuntimeError>(
          "Expected running_mean and running_var to be defined when use_input_stats is false");
    return;
  }
  if (bool(mean) != bool(var))
    fail<ValueError>(
        "instance_norm: running_mean and running_var must either both be None or neither be None");
  for (const OptionalTensorRef t : {mean, var})
    if (t && (t->dim() != 1 || t->size(0) != input.size(1)))
      fail<ShapeError>("instance_norm: running statistics should contain {} elements, got {}",
                       input.size(1), t->shape().str());
}

}  // namespace

Tensor instance_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                     OptionalTensorRef running_mean, OptionalTensorRef running_var,
                     bool use_input_stats, FloatArg momentum, FloatArg eps, bool cudnn_enabled) {
  check_instance_norm(input, running_mean, running_var, use_input_stats);
  const std::int64_t samples = input.size(0);
  // Computes batch normalization of one sample that contains the channels of all samples.
  Shape merged_shape = input.shape();
  merged_shape[0] = 1, merged_shape[1] *= samples;
  const auto copy_per_sample = [&](OptionalTensorRef t) -> std::optional<Tensor> {
    const NoGrad guard;
    if (!t) return std::nullopt;
    return repeat_per_sample(t, samples)->clone();
  };
  const std::optional<Tensor> mean = copy_per_sample(running_mean),
                              var = copy_per_sample(running_var);
  const Tensor output = named_call("instance_norm", [&] {
    return batch_norm(input.reshape(merged_shape), repeat_per_sample(weight, samples),
                      repeat_per_sample(bias, samples), mean, var, use_input_stats, momentum, eps,
                      cudnn_enabled);
  });
  if (use_input_stats) {
    const NoGrad guard;
    if (mean) running_mean->copy_(mean->reshape({samples, -1}).mean(0));
    if (var) running_var->copy_(var->reshape({samples, -1}).mean(0));
  }
  return output.reshape(input.shape());
}

}  // namespace taper
