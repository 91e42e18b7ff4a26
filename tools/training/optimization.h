// Optimization: optimizer and learning rate schedule of a run.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "run_settings.h"
#include "taper/optim/lr_scheduler/scheduler.h"
#include "taper/optim/optimizer.h"

namespace training {

/// The optimizer and the schedule that the settings of a run name.
///
/// Muon, which updates matrices only, is accompanied by AdamW for the other parameters, with the
/// same learning rate, weight decay and schedule; Muon adjusts the rate to that of AdamW. LBFGS
/// searches along lines that satisfy the strong Wolfe conditions.
class Optimization {
 public:
  /// Throws taper::Error for an unknown name, or for a setting that the optimizer does not have.
  Optimization(const Settings& settings, const std::vector<taper::Tensor>& params,
               std::int64_t steps_per_epoch);

  void zero_grad();
  /// Performs the step of a batch. `closure` clears the gradients, computes the loss, runs backward
  /// and returns the loss. Returns the first loss.
  taper::Tensor step(const taper::SharedFunction<taper::Tensor()>& closure);
  /// Proceeds to the next epoch of the schedule. ReduceLROnPlateau monitors `test_loss`.
  void finish_epoch(double test_loss);

  /// Returns the initial learning rate.
  double lr() const;

  /// Returns the state dict of the optimizer; a list if there are two.
  taper::Value optimizer_state();
  /// Returns the state dict of the schedule, or None; a list if there are two optimizers.
  taper::Value scheduler_state();
  /// Restores both. Throws taper::Error if they are unsuitable.
  void load(const taper::Value& optimizer_state, const taper::Value& scheduler_state);

 private:
  struct ScheduledOptimizer {
    std::unique_ptr<taper::optim::Optimizer> optimizer;
    std::shared_ptr<taper::optim::lr_scheduler::LRScheduler> scheduler;
  };
  void add_optimizer(const std::string& name, std::vector<taper::Tensor> params,
                     const taper::Value& options);

  std::vector<ScheduledOptimizer> optimizers_;
  bool is_stepped_per_batch_ = false;
};

}  // namespace training
