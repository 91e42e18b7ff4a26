#include "taper/nn/instancenorm.h"

#include "core/check.h"
#include "nn/layers/lazy_layer.h"
#include "nn/layers/loaded_tensors.h"
#include "nn/layers/options.h"
#include "taper/core/warning.h"
#include "taper/nn/functional/normalization.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(InstanceNorm1d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(InstanceNorm2d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(InstanceNorm3d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAZY_LAYER(LazyInstanceNorm1d, InstanceNorm1d)
TAPER_LAZY_LAYER(LazyInstanceNorm2d, InstanceNorm2d)
TAPER_LAZY_LAYER(LazyInstanceNorm3d, InstanceNorm3d)

BatchNormOptions InstanceNormBase::with_defaults(const InstanceNormOptions& o) {
  return {.eps = o.eps,
          .momentum = o.momentum,
          .affine = o.affine,
          .track_running_stats = o.track_running_stats,
          .bias = o.bias,
          .dtype = o.dtype,
          .device = o.device};
}

void InstanceNormBase::check_rank(const Tensor& input) const {
  if (input.dim() != rank_ && input.dim() != rank_ + 1)
    fail<ValueError>("expected {}D or {}D input (got {}D input)", rank_, rank_ + 1, input.dim());
}

void InstanceNormBase::infer_features(const Tensor& input) {
  check_rank(input);
  infer_from(input.size(input.dim() - rank_));
}

Tensor InstanceNormBase::normalize(const Tensor& input) const {
  check_rank(input);
  const std::int64_t at = input.dim() - rank_;
  if (input.size(at) != num_features) {
    if (affine)
      fail<ValueError>("expected input's size at dim={} to match num_features ({}), but got: {}.",
                       at, num_features, input.size(at));
    warn("input's size at dim=" + std::to_string(at) +
         " does not match num_features. You can silence this warning by not passing in "
         "num_features, which is not used because affine=False");
  }
  const Tensor batch = at == 0 ? input.unsqueeze(0) : input;
  const Tensor output =
      functional::instance_norm(batch, {.running_mean = running_mean,
                                        .running_var = running_var,
                                        .weight = weight,
                                        .bias = bias,
                                        .use_input_stats = training || !track_running_stats,
                                        .momentum = momentum.value_or(0),
                                        .eps = eps});
  return at == 0 ? output.squeeze(0) : output;
}

Tensor InstanceNorm1d::forward(const Tensor& input) const { return normalize(called(input)); }
Tensor InstanceNorm2d::forward(const Tensor& input) const { return normalize(called(input)); }
Tensor InstanceNorm3d::forward(const Tensor& input) const { return normalize(called(input)); }

void InstanceNormBase::load_from_state_dict(LoadState& state) {
  // Before PyTorch 0.4, running statistics were stored regardless of track_running_stats.
  if (!state.version() && !track_running_stats) {
    std::string names;
    for (const std::string_view name : {"running_mean", "running_var"}) {
      const std::string key = state.key(name);
      if (!state.state.erase(key)) continue;
      names += (names.empty() ? "\"" : " and \"") + key + "\"";
    }
    const std::string class_name(type_name());
    if (!names.empty())
      state.errors.push_back(format_message(
          "Unexpected running stats buffer(s) {} for {} with track_running_stats=False. If "
          "state_dict is a checkpoint saved before 0.4.0, this may be expected because {} "
          "does not track running stats by default since 0.4.0. Please remove these keys "
          "from state_dict. If the running stats are actually needed, instead set "
          "track_running_stats=True in {} to enable them. See the documentation of {} for "
          "details.",
          names, class_name, class_name, class_name, class_name));
  }
  NormBase::load_from_state_dict(state);
}

LazyInstanceNorm1d::LazyInstanceNorm1d(const BatchNormOptions& options)
    : Layer(std::nullopt, options) {
  initialize_at_first_call("InstanceNorm1d");
}
void LazyInstanceNorm1d::initialize_parameters(const Tensor& input) { infer_features(input); }
LazyInstanceNorm2d::LazyInstanceNorm2d(const BatchNormOptions& options)
    : Layer(std::nullopt, options) {
  initialize_at_first_call("InstanceNorm2d");
}
void LazyInstanceNorm2d::initialize_parameters(const Tensor& input) { infer_features(input); }
LazyInstanceNorm3d::LazyInstanceNorm3d(const BatchNormOptions& options)
    : Layer(std::nullopt, options) {
  initialize_at_first_call("InstanceNorm3d");
}
void LazyInstanceNorm3d::initialize_parameters(const Tensor& input) { infer_features(input); }

namespace {}  // namespace

TAPER_NORM_SCHEMA(InstanceNorm1d, InstanceNormOptions, "instancenorm", num_features)
TAPER_NORM_SCHEMA(InstanceNorm2d, InstanceNormOptions, "instancenorm", num_features)
TAPER_NORM_SCHEMA(InstanceNorm3d, InstanceNormOptions, "instancenorm", num_features)
TAPER_NORM_SCHEMA(LazyInstanceNorm1d, BatchNormOptions, "instancenorm")
TAPER_NORM_SCHEMA(LazyInstanceNorm2d, BatchNormOptions, "instancenorm")
TAPER_NORM_SCHEMA(LazyInstanceNorm3d, BatchNormOptions, "instancenorm")

}  // namespace taper::nn
