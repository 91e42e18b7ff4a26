#include "taper/nn/functional/normalization.h"

#include "core/check.h"
#include "taper/nn/functional/pad.h"

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

Tensor group_norm(const Tensor& input, IntArg num_groups, OptionalTensorRef weight,
                  OptionalTensorRef bias, FloatArg eps) {
  check_group_elements(input, num_groups);
  return taper::group_norm(input, num_groups, weight, bias, eps);
}

Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, OptionalTensorRef weight, OptionalTensorRef bias,
                  bool training, FloatArg momentum, FloatArg eps) {
  if (training && !(eps > 0))
    fail<ValueError>("batch_norm: eps must be positive during training, but got {}",
                     python_repr(eps));
  return taper::batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps);
}

Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, bool training, FloatArg momentum, FloatArg eps) {
  return functional::batch_norm(input, running_mean, running_var, {}, {}, training, momentum, eps);
}

Tensor instance_norm(const Tensor& input, OptionalTensorRef running_mean,
                     OptionalTensorRef running_var, OptionalTensorRef weight,
                     OptionalTensorRef bias, bool use_input_stats, FloatArg momentum,
                     FloatArg eps) {
  if (use_input_stats) check_spatial_elements(input);
  return taper::instance_norm(input, running_mean, running_var, weight, bias, use_input_stats,
                              momentum, eps);
}

Tensor local_response_norm(const Tensor& input, IntArg size, FloatArg alpha, FloatArg beta,
                           FloatArg k) {
  if (input.dim() < 3)
    fail<ShapeError>(
        "local_response_norm: Expected 3D or higher dimensionality input (got {} dimensions)",
        input.dim());
  if (size <= 0) fail<ValueError>("local_response_norm: size must be positive, got {}", +size);
  if (input.numel() == 0) return input;
  // The mean over a window of channels is an average pool over the rows of (N, 1, C, space).
  const Tensor squares = input.square().reshape({input.size(0), 1, input.size(1), -1});
  const Tensor padded = functional::pad(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means =
      taper::avg_pool2d(padded, {size, 1}, {.stride = Shape{1, 1}}).reshape(input.shape());
  return input / (means * alpha + k).pow(beta);
}

Tensor normalize(const Tensor& input, FloatArg p, const Dims& dim, FloatArg eps) {
  const Tensor norms = input.norm(static_cast<double>(p), dim, true);
  return input / norms.clamp_min(static_cast<double>(eps));
}

}  // namespace taper::nn::functional
