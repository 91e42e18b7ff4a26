// Normalization functions.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/norm.h"

namespace TAPER_API taper {
namespace nn::functional {

/// As batch_norm of taper/ops/norm.h, but also throws ValueError if `eps` is 0 in training.
/// PyTorch: torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, OptionalTensorRef weight, OptionalTensorRef bias,
                  bool training = false, FloatArg momentum = 0.1, FloatArg eps = 1e-5);
/// As batch_norm above, without weight and bias.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, bool training = false, FloatArg momentum = 0.1,
                  FloatArg eps = 1e-5);

/// As instance_norm of taper/ops/norm.h, but also throws ValueError if `use_input_stats` is set and
/// there is only one spatial element. PyTorch: torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, OptionalTensorRef running_mean = {},
                     OptionalTensorRef running_var = {}, OptionalTensorRef weight = {},
                     OptionalTensorRef bias = {}, bool use_input_stats = true,
                     FloatArg momentum = 0.1, FloatArg eps = 1e-5);

/// As group_norm of taper/ops/norm.h, but also throws ValueError if there is one sample and each
/// group has one element. PyTorch: torch.nn.functional.group_norm.
Tensor group_norm(const Tensor& input, IntArg num_groups, OptionalTensorRef weight = {},
                  OptionalTensorRef bias = {}, FloatArg eps = 1e-5);

/// Layer and RMS normalization of taper/ops/norm.h. PyTorch: torch.nn.functional.layer_norm,
/// torch.nn.functional.rms_norm.
using taper::layer_norm;
using taper::rms_norm;

/// Divides each element of `input` `(N, C, ...)` by (k + alpha * m)^beta, where m is the mean of
/// the squares of the elements in a window of `size` neighboring channels, with zeros beyond the
/// first and last channel. Throws ShapeError unless the input has at least 3 dimensions, ValueError
/// if `size` is not positive. PyTorch: torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, IntArg size, FloatArg alpha = 1e-4,
                           FloatArg beta = 0.75, FloatArg k = 1.0);

/// Divides `input` by max(norm, eps), where norm is the p-norm of the vectors along `dim`. Throws
/// NotImplementedError for integers, IndexError if `dim` is out of range.
/// PyTorch: torch.nn.functional.normalize.
Tensor normalize(const Tensor& input, FloatArg p = 2.0, const Dims& dim = 1, FloatArg eps = 1e-12);

}  // namespace nn::functional
}  // namespace taper
