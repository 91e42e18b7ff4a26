#include "taper/optim/grad_scaler.h"

#include <atomic>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/ops/optimizer.h"
#include "taper/optim/detail/found_inf.h"
#include "taper/optim/optimizer.h"

namespace taper::amp {
namespace {

double to_float32(double x) { return static_cast<double>(static_cast<float>(x)); }

constinit std::atomic<detail::FoundInfReduction> found_inf_reduction{nullptr};

}  // namespace

void detail::set_found_inf_reduction(FoundInfReduction reduction) noexcept {
  found_inf_reduction.store(reduction, std::memory_order_release);
}

GradScaler::GradScaler(const GradScalerOptions& options)
    : options_(options), scale_(options.init_scale) {
  if (!options.enabled) return;
  if (!(options.growth_factor > 1))
    fail<ValueError>("GradScaler: The growth factor must be > 1.0, got {}", options.growth_factor);
  if (!(options.backoff_factor < 1))
    fail<ValueError>("GradScaler: The backoff factor must be < 1.0, got {}",
                     options.backoff_factor);
}

Tensor GradScaler::scale_one(const Tensor& output) {
  if (!options_.enabled) return output;
  has_scaled_ = true;
  scale_ = to_float32(scale_);
  return output * full({}, scale_, {.dtype = DType::f32, .device = output.device()});
}

std::vector<Tensor> GradScaler::scale(std::span<const Tensor> outputs) {
  std::vector<Tensor> scaled;
  for (const Tensor& output : outputs) scaled.push_back(scale(output));
  return scaled;
}

void GradScaler::check_scaled(const char* function) const {
  if (!has_scaled_)
    fail<RuntimeError>(
        "GradScaler.{}: Attempted {} but the scale is not used yet. This may indicate your script "
        "did not use scaler.scale(loss or outputs) earlier in the iteration.",
        function, function);
}

void GradScaler::unscale(optim::Optimizer& optimizer, Progress& progress) {
  bool has_grad = false;
  std::vector<Tensor> grads;  // with elements, which parts of parameters need not have
  for (const optim::ParamGroup& group : optimizer.param_groups())
    for (const Tensor& p : group.params())
      if (const Tensor& g = p.grad(); g.defined()) {
        if (g.dtype() == DType::f16)
          fail<ValueError>("GradScaler: Attempting to unscale FP16 gradients.");
        has_grad = true;
        if (g.numel() > 0) grads.push_back(g);
      }
  progress.stage = Stage::unscaled;
  const NoGrad guard;
  if (has_grad) progress.found_inf = false;
  if (!grads.empty()) {
    const double inverse = to_float32(1 / scale_);
    progress.found_inf = !std::isfinite(
        ops::total_norm(grads, std::numeric_limits<double>::infinity()).item().to_double());
    ops::scale_(grads, full({}, inverse, {.dtype = DType::f32}));
  }
  if (const auto reduce = found_inf_reduction.load(std::memory_order_acquire))
    progress.found_inf = reduce(optimizer, progress.found_inf);
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!options_.enabled) return;
  check_scaled("unscale_");
  Progress progress = progress_[&optimizer];
  if (progress.stage == Stage::unscaled)
    fail<RuntimeError>(
        "GradScaler.unscale_: unscale_() has already been called on this optimizer since the last "
        "update().");
  if (progress.stage == Stage::stepped)
    fail<RuntimeError>("GradScaler.unscale_: unscale_() is being called after step().");
  unscale(optimizer, progress);
  progress_[&optimizer] = progress;
}

void GradScaler::step(optim::Optimizer& optimizer) {
  if (!options_.enabled) return optimizer.step();
  check_scaled("step");
  Progress progress = progress_[&optimizer];
  if (progress.stage == Stage::stepped)
    fail<RuntimeError>("GradScaler.step: step() has already been called since the last update().");
  if (progress.stage == Stage::ready) unscale(optimizer, progress);
  if (!progress.found_inf)
    fail<RuntimeError>("GradScaler.step: No inf checks were recorded for this optimizer.");
  progress_[&optimizer] = progress;
  if (!*progress.found_inf) optimizer.step();
  progress_[&optimizer].stage = Stage::stepped;
}

void GradScaler::update() {
  if (!options_.enabled) return;
  check_scaled("update");
  bool checked = false, found_inf = false;
  for (const auto& [optimizer, progress] : progress_) {
    checked = checked || progress.found_inf.has_value();
    found_inf = found_inf || progress.found_inf.value_or(false);
  }
  if (!checked)
    fail<RuntimeError>("GradScaler.update: No inf checks were recorded prior to update.");
  if (found_inf) {
    scale_ = to_float32(scale_ * options_.backoff_factor);
    growth_tracker_ = 0;
  } else if (++growth_tracker_ == options_.growth_interval) {
    // The scale does not grow to inf.
    if (const double grown = to_float32(scale_ * options_.growth_factor); std::isfinite(grown))
      scale_ = grown;
    growth_tracker_ = 0;
  }
  progress_.clear();
}

void GradScaler::update(double new_scale) {
  if (!options_.enabled) return;
  check_scaled("update");
  scale_ = to_float32(new_scale);
  progress_.clear();
}

void GradScaler::update(const Tensor& new_scale) {
  if (!new_scale.defined() || new_scale.dtype() != DType::f32 || new_scale.numel() != 1 ||
      new_scale.requires_grad())
    fail<ValueError>(
        "GradScaler.update: new_scale should be a float or a 1-element float32 tensor that does "
        "not require a gradient");
  update(new_scale.item().to_double());
}

double GradScaler::get_scale() const { return options_.enabled ? scale_ : 1.0; }

Value GradScaler::state_dict() const {
  if (!options_.enabled) return Value::dict();
  return Value::dict({{"scale", scale_},
                      {"growth_factor", options_.growth_factor},
                      {"backoff_factor", options_.backoff_factor},
                      {"growth_interval", options_.growth_interval},
                      {"_growth_tracker", growth_tracker_}});
}

void GradScaler::load_state_dict(const Value& state) {
  if (!options_.enabled) return;
  if (state.as_dict().empty())
    fail<RuntimeError>(
        "GradScaler.load_state_dict: The source state dict is empty, possibly because it was saved "
        "from a disabled instance of GradScaler.");
  const double scale = state["scale"].as_double(),
               growth_factor = state["growth_factor"].as_double(),
               backoff_factor = state["backoff_factor"].as_double();
  const std::int64_t interval = state["growth_interval"].as_int(),
                     tracker = state["_growth_tracker"].as_int();
  scale_ = has_scaled_ ? to_float32(scale) : scale;
  options_.growth_factor = growth_factor;
  options_.backoff_factor = backoff_factor;
  options_.growth_interval = interval;
  growth_tracker_ = tracker;
}

}  // namespace taper::amp
