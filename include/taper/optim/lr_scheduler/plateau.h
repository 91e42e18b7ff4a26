// ReduceLROnPlateau: reduces the rate when a metric has stopped improving.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/per_group.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of ReduceLROnPlateau.
struct ReduceLROnPlateauOptions {
  std::string mode = "min";            ///< "min": lower metrics are better; "max": higher ones
  FloatArg factor = 0.1;               ///< factor of a reduction
  IntArg patience = 10;                ///< epochs without improvement that are tolerated
  FloatArg threshold = 1e-4;           ///< an improvement must exceed this
  std::string threshold_mode = "rel";  ///< "rel": relative to the best value; "abs": absolute
  IntArg cooldown = 0;                 ///< epochs after a reduction that are not counted
  PerGroup min_lr = 0;                 ///< lower bound of the rate
  FloatArg eps = 1e-8;                 ///< a reduction that does not exceed this is not applied
};

/// Multiplies the rate by `factor`, but does not reduce it below `min_lr`, when a metric has not
/// improved for more than `patience` consecutive epochs. Epochs of a cooldown are not counted. A
/// metric m is an improvement over the best value if, depending on `mode` and `threshold_mode`:
///
/// | mode | "rel" | "abs" |
/// |---|---|---|
/// | min | m < best * (1 - threshold) | m < best - threshold |
/// | max | m > best * (1 + threshold) | m > best + threshold |
///
/// NaN is not an improvement. Does not store `initial_lr`. Throws ValueError if the factor is 1 or
/// more, for an unknown mode, and if the length of `min_lr` is not the number of groups.
/// PyTorch: torch.optim.lr_scheduler.ReduceLROnPlateau.
///
///     scheduler.step(validation_loss);
class ReduceLROnPlateau : public LRScheduler {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& options = {});
  std::string_view type_name() const override { return "ReduceLROnPlateau"; }

  /// Proceeds to the next epoch with the value of the metric. Throws TypeError if it is absent, and
  /// RuntimeError, without any change, if a reduction is due and groups were added although min_lr
  /// is a list.
  void step(std::optional<Scalar> metrics) override;
  /// Proceeds to the next epoch with a metric that is a one-element tensor.
  void step(const Tensor& metrics) { step(metrics.item()); }
  /// As `step(metrics)`, but sets the epoch to `epoch`. Warns that this argument is deprecated.
  void step(const Scalar& metrics, std::int64_t epoch);

  /// Returns true during the cooldown after a reduction.
  /// PyTorch: torch.optim.lr_scheduler.ReduceLROnPlateau.in_cooldown.
  bool in_cooldown() const { return cooldown_counter > 0; }

  double factor;
  std::optional<double> default_min_lr;  ///< absent if min_lr is a list
  std::vector<double> min_lrs;
  std::int64_t patience, cooldown;
  double eps;
  std::string mode;
  double threshold;
  std::string threshold_mode;
  double best;  ///< best metric so far
  std::int64_t cooldown_counter = 0, num_bad_epochs = 0;

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  void step_with_metric(double metrics, std::int64_t epoch);
  bool is_better(double metrics) const;
  void reduce_lr();
};

}  // namespace optim::lr_scheduler
}  // namespace taper
