#include "taper/nn/functional/normalization.h"

#include "core/check.h"
#include "core/named_call.h"
#include "taper/nn/functional/pad.h"
#include "taper/nn/functional/pooling.h"
#include "taper/ops/norm.h"

namespace taper::nn::functional {
namespace {

void check_spatial_elements(const Tensor& input) {
  if (input.dim() < 2) return;  // rejected by the op
  std::int64_t elements = 1;
  for (std::int64_t d = 2; d < input.dim(); ++d) elements *= input.size(d);
  if (elements == 1)
    fail<ValueError>(
        "Expected more than 1 spatial element when training, got input size torch.Size({})",
        input.shape().str());
}

/// Checks the number of elements in a channel as PyTorch does, in evaluation as well: a group of
/// one sample is a channel of a batch of N * C / num_groups.
void check_group_elements(const Tensor& input, std::int64_t num_groups) {
  if (input.dim() < 2 || num_groups <= 0) return;  // rejected by the op
  Shape size{input.size(0) * input.size(1) / num_groups, num_groups};
  std::int64_t elements = size[0];
  for (std::int64_t d = 2; d < input.dim(); ++d)
    size.push_back(input.size(d)), elements *= input.size(d);
  if (elements == 1)
    fail<ValueError>(
        "group_norm: Expected more than 1 value per channel when training, got input size {}",
        size);
}

}  // namespace

Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, const BatchNormFuncOptions& o) {
  if (o.training && !(o.eps > 0))
    fail<ValueError>("batch_norm: eps must be positive during training, but got {}",
                     python_repr(o.eps));
  return taper::batch_norm(input, o.weight, o.bias, running_mean, running_var, o.training,
                           o.momentum, o.eps, true);
}

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& o) {
  if (o.use_input_stats) check_spatial_elements(input);
  return taper::instance_norm(input, o.weight, o.bias, o.running_mean, o.running_var,
                              o.use_input_stats, o.momentum, o.eps, true);
}

Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                  const LayerNormFuncOptions& o) {
  return taper::layer_norm(input, normalized_shape, o.weight, o.bias, o.eps);
}
Tensor group_norm(const Tensor& input, IntArg num_groups, const GroupNormFuncOptions& o) {
  check_group_elements(input, num_groups);
  return taper::group_norm(input, num_groups, o.weight, o.bias, o.eps);
}
Tensor rms_norm(const Tensor& input, const Shape& normalized_shape, const RMSNormFuncOptions& o) {
  return taper::rms_norm(input, normalized_shape, o.weight, o.eps);
}

Tensor local_response_norm(const Tensor& input, IntArg size,
                           const LocalResponseNormFuncOptions& o) {
  if (input.dim() < 3)
    fail<ShapeError>(
        "local_response_norm: Expected 3D or higher dimensionality input (got {} dimensions)",
        input.dim());
  if (size <= 0) fail<ValueError>("local_response_norm: size must be positive, got {}", +size);
  if (input.numel() == 0) return input;
  // The mean over a window of channels is an average pool over the rows of (N, 1, C, space).
  const Tensor squares = input.square().reshape({input.size(0), 1, input.size(1), -1});
  const Tensor padded = functional::pad(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means = avg_pool2d(padded, {size, 1}, {.stride = 1}).reshape(input.shape());
  return input / (means * o.alpha + o.k).pow(o.beta);
}

Tensor normalize(const Tensor& input, const NormalizeFuncOptions& o) {
  return named_call("normalize", [&] {
    const Tensor norms = input.norm(static_cast<double>(o.p), o.dim, true);
    return input / norms.clamp_min(static_cast<double>(o.eps));
  });
}

}  // namespace taper::nn::functional
