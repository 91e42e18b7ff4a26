#include "taper/nn/detail/norm_base.h"

#include "core/check.h"
#include "nn/layers/loaded_tensors.h"
#include "nn/layers/text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::nn {

NormBase::NormBase(std::optional<std::int64_t> features, const BatchNormOptions& o)
    : num_features(features.value_or(0)),
      eps(o.eps),
      momentum(o.momentum),
      affine(o.affine),
      track_running_stats(o.track_running_stats) {
  if (num_features < 0) fail<ValueError>("num_features must not be negative, got {}", num_features);
  const MaterializeOptions materialize_options{.dtype = o.dtype, .device = o.device};
  if (affine) weight.emplace(UninitializedParameter(true, materialize_options));
  if (affine && o.bias) bias.emplace(UninitializedParameter(true, materialize_options));
  if (track_running_stats) {
    running_mean.emplace(UninitializedBuffer(false, materialize_options));
    running_var.emplace(UninitializedBuffer(false, materialize_options));
    num_batches_tracked.emplace(zeros({}, {.dtype = int64, .device = o.device}));
  }
  if (features) materialize(*features);
}

void NormBase::reset_running_stats() {
  if (running_mean) running_mean->zero_();
  if (running_var) running_var->fill_(1);
  if (num_batches_tracked) num_batches_tracked->zero_();
}

void NormBase::reset_parameters() {
  reset_running_stats();
  const NoGrad guard;
  if (weight) weight->fill_(1);
  if (bias) bias->zero_();
}

/// Sets the shape of uninitialized tensors to (features). If there are any, re-initializes all
/// tensors.
void NormBase::materialize(std::int64_t features) {
  bool any_materialized = false;
  const auto shape = [&](auto& tensor) {
    if (!tensor || !is_lazy(*tensor)) return;
    tensor->materialize({features});
    any_materialized = true;
  };
  shape(weight), shape(bias), shape(running_mean), shape(running_var);
  num_features = features;
  if (any_materialized) reset_parameters();
}

void NormBase::infer_from(std::int64_t features) {
  const LoadedTensors loaded_tensors(*this);
  if (weight && !is_lazy(*weight)) features = weight->size(0);
  if (running_mean && !is_lazy(*running_mean)) features = running_mean->size(0);
  materialize(features);
  loaded_tensors.restore();
}

void NormBase::load_from_state_dict(LoadState& state) {
  const std::string key = state.key("num_batches_tracked");
  if (state.version().value_or(0) < 2 && track_running_stats && !state.state.contains(key)) {
    const bool usable = num_batches_tracked && !num_batches_tracked->device().is_meta();
    state.state.set(key, usable ? num_batches_tracked->detach() : zeros({}, {.dtype = int64}));
  }
  Module::load_from_state_dict(state);
}

std::string NormBase::extra_repr() const {
  return std::to_string(num_features) + ", eps=" + python_text(eps) +
         ", momentum=" + (momentum ? python_text(*momentum) : "None") +
         ", affine=" + python_text(affine) + ", bias=" + python_text(bias.has_value()) +
         ", track_running_stats=" + python_text(track_running_stats);
}

}  // namespace taper::nn
