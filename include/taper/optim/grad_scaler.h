// GradScaler: scales the loss so that small gradients do not vanish in float16.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/tensor.h"
#include "taper/core/tensor_span.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace optim {
class Optimizer;
}

namespace amp {

/// Options of GradScaler.
struct GradScalerOptions {
  FloatArg init_scale = 65536;    ///< first scale
  FloatArg growth_factor = 2.0;   ///< factor of the scale after growth_interval steps, > 1
  FloatArg backoff_factor = 0.5;  ///< factor of the scale after inf or NaN, < 1
  IntArg growth_interval = 2000;  ///< number of steps without inf or NaN before the scale grows
  bool enabled = true;            ///< false: `scale` returns its argument, `step` only steps
};

/// Multiplies a loss by a scale, so that gradients in float16 do not become 0, and divides the
/// gradients by it before the step of the optimizer, which is skipped if a gradient is inf or NaN.
/// The scale decreases after such steps and increases after many others:
///
///     scaler.scale(loss).backward();
///     scaler.step(optimizer);
///     scaler.update();
///
/// If the gradients of an optimizer are divided among ranks, by distributed::fully_shard,
/// parallelize_module or ZeroRedundancyOptimizer::shard_gradients, the step is skipped on all ranks
/// if a gradient of any rank is inf or NaN; the call that checks gradients is then collective.
///
/// PyTorch: torch.amp.GradScaler("cpu").
class GradScaler {
 public:
  /// Throws ValueError unless growth_factor > 1 and backoff_factor < 1.
  explicit GradScaler(const GradScalerOptions& options = {});

  /// Returns outputs * scale, in the dtype of the outputs. PyTorch: torch.amp.GradScaler.scale.
  template <std::derived_from<Tensor> Output> Tensor scale(const Output& output) {
    return scale_one(output);
  }
  std::vector<Tensor> scale(std::span<const Tensor> outputs);
  std::vector<Tensor> scale(std::initializer_list<Tensor> outputs) {
    return scale(taper::detail::as_span(outputs));
  }
  /// Divides the gradients of the parameters of `optimizer` by the scale, for example to clip them
  /// before `step`. Throws RuntimeError if it was called for this optimizer since the last
  /// `update`, and ValueError, without changes, if a gradient has dtype float16. PyTorch:
  /// torch.amp.GradScaler.unscale_.
  void unscale_(optim::Optimizer& optimizer);
  /// Calls `unscale_` unless it was called, then optimizer.step() unless a gradient is inf or NaN.
  /// Throws RuntimeError if it was called for this optimizer since the last `update`, or if no
  /// parameter has a gradient. PyTorch: torch.amp.GradScaler.step.
  void step(optim::Optimizer& optimizer);
  /// Ends an iteration: multiplies the scale by backoff_factor if a gradient was inf or NaN,
  /// otherwise by growth_factor if this was the growth_interval-th step without. Throws
  /// RuntimeError if no gradient was checked since the last call. PyTorch:
  /// torch.amp.GradScaler.update.
  void update();
  /// As `update()`, but sets the scale. PyTorch: torch.amp.GradScaler.update(new_scale).
  void update(double new_scale);
  /// As `update(double)`. Throws ValueError unless `new_scale` is one element of float32 that does
  /// not require a gradient.
  void update(const Tensor& new_scale);

  /// Returns the scale; 1 if disabled. PyTorch: torch.amp.GradScaler.get_scale.
  double get_scale() const;
  /// Return and set the options.
  double get_growth_factor() const { return options_.growth_factor; }
  void set_growth_factor(FloatArg factor) { options_.growth_factor = factor; }
  double get_backoff_factor() const { return options_.backoff_factor; }
  void set_backoff_factor(FloatArg factor) { options_.backoff_factor = factor; }
  std::int64_t get_growth_interval() const { return options_.growth_interval; }
  void set_growth_interval(IntArg interval) { options_.growth_interval = interval; }
  /// Returns true unless the scaler was constructed with `enabled = false`.
  bool is_enabled() const { return options_.enabled; }
  /// Returns the number of steps without inf or NaN since the last change of the scale.
  std::int64_t growth_tracker() const { return growth_tracker_; }

  /// Returns scale, factors, interval and "_growth_tracker"; an empty dict if disabled.
  /// PyTorch: torch.amp.GradScaler.state_dict.
  Value state_dict() const;
  /// Restores the state. Does nothing if disabled. Throws RuntimeError if the dict is empty, and
  /// KeyError or TypeError for a wrong entry, without changes.
  /// PyTorch: torch.amp.GradScaler.load_state_dict.
  void load_state_dict(const Value& state);
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&) = delete;  // a file is read by load(path)

 private:
  Tensor scale_one(const Tensor& output);
  enum class Stage : std::uint8_t { ready, unscaled, stepped };
  struct Progress {
    Stage stage = Stage::ready;
    std::optional<bool> found_inf;  ///< empty if no gradient was checked
  };
  void check_scaled(const char* function) const;
  void unscale(optim::Optimizer& optimizer, Progress& progress);

  GradScalerOptions options_;
  double scale_;  ///< a float32 value after the first call of `scale`
  std::int64_t growth_tracker_ = 0;
  bool has_scaled_ = false;                               ///< `scale` was called
  std::map<const optim::Optimizer*, Progress> progress_;  ///< since the last `update`
};

}  // namespace amp
}  // namespace taper
