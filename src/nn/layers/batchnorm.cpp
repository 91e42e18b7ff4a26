#include "taper/nn/batchnorm.h"

#include "nn/layers/text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/normalization.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(BatchNorm1d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(BatchNorm2d, weight, bias, running_mean, running_var, num_batches_tracked)
TAPER_LAYER_MEMBERS(BatchNorm3d, weight, bias, running_mean, running_var, num_batches_tracked)

BatchNormBase::BatchNormBase(std::int64_t features, const BatchNormOptions& o)
    : num_features(features),
      eps(o.eps),
      momentum(o.momentum),
      affine(o.affine),
      track_running_stats(o.track_running_stats) {
  if (features < 0)
    throw ValueError("BatchNorm: num_features must not be negative, got " +
                     std::to_string(features));
  const TensorOptions real{.dtype = o.dtype, .device = o.device};
  if (affine) weight.emplace(ones({features}, real));
  if (affine && o.bias) bias.emplace(zeros({features}, real));
  if (!track_running_stats) return;
  running_mean.emplace(zeros({features}, real));
  running_var.emplace(ones({features}, real));
  num_batches_tracked.emplace(zeros({}, {.dtype = int64, .device = o.device}));
}

void BatchNormBase::reset_running_stats() {
  if (running_mean) running_mean->zero_();
  if (running_var) running_var->fill_(1);
  if (num_batches_tracked) num_batches_tracked->zero_();
}

void BatchNormBase::reset_parameters() {
  reset_running_stats();
  const NoGrad guard;
  if (weight) weight->fill_(1);
  if (bias) bias->zero_();
}

Tensor BatchNormBase::normalised(const Tensor& input, std::int64_t least, std::int64_t most) {
  if (input.dim() < least || input.dim() > most)
    throw ValueError("expected " + (least == most ? "" : std::to_string(least) + "D or ") +
                     std::to_string(most) + "D input (got " + std::to_string(input.dim()) +
                     "D input)");
  double factor = momentum.value_or(0);
  const bool counts = training && track_running_stats && num_batches_tracked;
  if (counts && !momentum) factor = 1 / (num_batches_tracked->item<double>() + 1);
  const auto held = [](const auto& member) -> Tensor {
    if (!member) return {};
    return *member;
  };
  const bool by_batch = training || (!running_mean && !running_var);
  const bool by_running = !training || track_running_stats;
  Tensor output = functional::batch_norm(input, by_running ? held(running_mean) : Tensor(),
                                         by_running ? held(running_var) : Tensor(), held(weight),
                                         held(bias), by_batch, factor, eps);
  if (counts) num_batches_tracked->add_(1);  // a refused batch is not counted
  return output;
}

Tensor BatchNorm1d::forward(const Tensor& input) { return normalised(input, 2, 3); }
Tensor BatchNorm2d::forward(const Tensor& input) { return normalised(input, 4, 4); }
Tensor BatchNorm3d::forward(const Tensor& input) { return normalised(input, 5, 5); }

void BatchNormBase::load_from_state_dict(LoadState& state) {
  const std::string key = state.key("num_batches_tracked");
  if (state.version().value_or(0) < 2 && track_running_stats && !state.state.contains(key)) {
    const bool usable = num_batches_tracked && !num_batches_tracked->device().is_meta();
    state.state.set(key, usable ? num_batches_tracked->detach() : zeros({}, {.dtype = int64}));
  }
  Module::load_from_state_dict(state);
}

std::string BatchNormBase::extra_repr() const {
  return std::to_string(num_features) + ", eps=" + text(eps) +
         ", momentum=" + (momentum ? text(*momentum) : "None") + ", affine=" + text(affine) +
         ", bias=" + text(bias.has_value()) + ", track_running_stats=" + text(track_running_stats);
}

}  // namespace taper::nn
