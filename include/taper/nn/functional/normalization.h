// Normalization functions.
#pragma once
#include <concepts>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of batch_norm.
struct BatchNormFuncOptions {
  OptionalTensor weight{};  ///< `(C)`; default: all 1
  OptionalTensor bias{};    ///< `(C)`; default: all 0
  bool training = false;    ///< uses the statistics of the input and updates the running ones
  FloatArg momentum = 0.1;  ///< weight of the new statistics in the running ones
  FloatArg eps = 1e-5;      ///< added to the variance
};
/// Normalizes each channel of `input` `(N, C)` or `(N, C, ...)`; see taper::batch_norm. Also throws
/// ValueError if `eps` is 0 in training. PyTorch: torch.nn.functional.batch_norm.
///
///   F::batch_norm(x, mean, var, {.weight = w, .bias = b, .training = true})
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, const BatchNormFuncOptions& options = {});

/// Options of instance_norm.
struct InstanceNormFuncOptions {
  OptionalTensor running_mean{};  ///< `(C)`
  OptionalTensor running_var{};   ///< `(C)`
  OptionalTensor weight{};        ///< `(C)`; default: all 1
  OptionalTensor bias{};          ///< `(C)`; default: all 0
  bool use_input_stats = true;    ///< uses the statistics of the input and updates the running ones
  FloatArg momentum = 0.1;        ///< weight of the new statistics in the running ones
  FloatArg eps = 1e-5;            ///< added to the variance
};
/// Normalizes each channel of each sample of `input` `(N, C, ...)`; see taper::instance_norm. Also
/// throws ValueError if `use_input_stats` is set and there is only one spatial element.
/// PyTorch: torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});

/// Options of layer_norm and group_norm.
struct LayerNormFuncOptions {
  /// `normalized_shape` for layer_norm, `(C)` for group_norm; default: all 1.
  OptionalTensor weight{};
  OptionalTensor bias{};  ///< in the shape of the weight; default: all 0
  FloatArg eps = 1e-5;    ///< added to the variance
};
using GroupNormFuncOptions = LayerNormFuncOptions;
/// Normalizes the last dimensions of `input` `(*, normalized_shape)`; see taper::layer_norm.
/// PyTorch: torch.nn.functional.layer_norm.
Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                  const LayerNormFuncOptions& options = {});
/// Normalizes groups of C / num_groups channels of each sample of `input` `(N, C, ...)`; see
/// taper::group_norm. Also throws ValueError if there is one sample and each group has one element.
/// PyTorch: torch.nn.functional.group_norm.
Tensor group_norm(const Tensor& input, IntArg num_groups, const GroupNormFuncOptions& options = {});

/// Options of rms_norm.
struct RMSNormFuncOptions {
  OptionalTensor weight{};        ///< in the shape `normalized_shape`; default: all 1
  std::optional<FloatArg> eps{};  ///< default: the machine epsilon of the dtype
};
/// Normalizes the last dimensions of `input` `(*, normalized_shape)` by their root mean square; see
/// taper::rms_norm. PyTorch: torch.nn.functional.rms_norm.
Tensor rms_norm(const Tensor& input, const Shape& normalized_shape,
                const RMSNormFuncOptions& options = {});

/// Options of local_response_norm and nn::LocalResponseNorm.
struct LocalResponseNormFuncOptions {
  FloatArg alpha = 1e-4;  ///< factor of the mean square
  FloatArg beta = 0.75;   ///< exponent of the divisor
  FloatArg k = 1.0;       ///< added to the mean square
  TAPER_OPTIONS(alpha, beta, k)
};
/// Divides each element of `input` `(N, C, ...)` by (k + alpha * m)^beta, where m is the mean of
/// the squares of the elements in a window of `size` neighboring channels, with zeros beyond the
/// first and last channel. Throws ShapeError unless the input has at least 3 dimensions, ValueError
/// if `size` is not positive. PyTorch: torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, IntArg size,
                           const LocalResponseNormFuncOptions& options = {});

/// Options of normalize.
struct NormalizeFuncOptions {
  FloatArg p = 2.0;      ///< order of the norm
  Dims dim{1};           ///< dimensions of the vectors
  FloatArg eps = 1e-12;  ///< minimum norm
};
/// Divides `input` by max(norm, eps), where norm is the p-norm of the vectors along `dim`. Throws
/// NotImplementedError for integers, IndexError if `dim` is out of range.
/// PyTorch: torch.nn.functional.normalize.
///
///   F::normalize(x), F::normalize(x, 2, 1), F::normalize(x, {.dim = {1, 2}})
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});
// Templates, which braces never match: GCC ignores the name of a field in braces that convert to a
// class with constructors.
template <std::convertible_to<FloatArg> N>
Tensor normalize(const Tensor& input, N p, NormalizeFuncOptions options = {}) {
  options.p = p;
  return functional::normalize(input, options);
}
template <std::convertible_to<FloatArg> N, std::convertible_to<Dims> D>
Tensor normalize(const Tensor& input, N p, const D& dim, NormalizeFuncOptions options = {}) {
  options.p = p, options.dim = dim;
  return functional::normalize(input, options);
}

}  // namespace nn::functional
}  // namespace taper
