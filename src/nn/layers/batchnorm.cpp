#include "taper/nn/batchnorm.h"

#include <limits>

#include "core/check.h"
#include "nn/layers/options.h"
#include "taper/nn/functional/normalization.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(BatchNorm1d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(BatchNorm2d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(BatchNorm3d, weight, bias, running_mean, running_var, num_batches_tracked)

void BatchNormBase::check_rank(const Tensor& input) const {
  const bool is_unlimited = max_ == std::numeric_limits<std::int64_t>::max();
  if (is_unlimited && input.dim() < min_)
    fail<ValueError>("expected at least {}D input (got {}D input)", min_, input.dim());
  if (input.dim() < min_ || input.dim() > max_)
    fail<ValueError>("expected {}{}D input (got {}D input)",
                     min_ == max_ ? "" : std::to_string(min_) + "D or ", max_, input.dim());
}

void BatchNormBase::infer_features(const Tensor& input) {
  check_rank(input);
  infer_from(input.size(1));
}

Tensor BatchNormBase::normalize(const Tensor& input) const {
  check_rank(input);
  double factor = momentum.value_or(0);
  const bool counts = training && track_running_stats && num_batches_tracked;
  if (counts && !momentum) factor = 1 / (num_batches_tracked->item<double>() + 1);
  const bool use_batch_stats = training || (!running_mean && !running_var);
  const bool use_running_stats = !training || track_running_stats;
  const auto running = [&](const std::optional<Buffer>& statistics) {
    return use_running_stats ? OptionalTensorRef(statistics) : OptionalTensorRef();
  };
  Tensor output = functional::batch_norm(input, running(running_mean), running(running_var),
                                         {.weight = weight,
                                          .bias = bias,
                                          .training = use_batch_stats,
                                          .momentum = factor,
                                          .eps = eps});
  if (counts) num_batches_tracked->add_(1);  // a rejected batch is not counted
  return output;
}

Tensor BatchNorm1d::forward(const Tensor& input) const { return normalize(called(input)); }
Tensor BatchNorm2d::forward(const Tensor& input) const { return normalize(called(input)); }
Tensor BatchNorm3d::forward(const Tensor& input) const { return normalize(called(input)); }

TAPER_NORM_SCHEMA(BatchNorm1d, BatchNormOptions, "batchnorm", num_features)
TAPER_NORM_SCHEMA(BatchNorm2d, BatchNormOptions, "batchnorm", num_features)
TAPER_NORM_SCHEMA(BatchNorm3d, BatchNormOptions, "batchnorm", num_features)

}  // namespace taper::nn
