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

  std::vector<taper::optim::Optimizer*> optimizers() const;
  /// Returns the schedulers that count epochs, or those that count batches.
  std::vector<taper::optim::lr_scheduler::SchedulerRef> schedulers_per_epoch() const;
  std::vector<taper::optim::lr_scheduler::SchedulerRef> schedulers_per_batch() const;

  /// Returns the initial learning rate.
  double lr() const;

 private:
  struct ScheduledOptimizer {
    std::unique_ptr<taper::optim::Optimizer> optimizer;
    std::shared_ptr<taper::optim::lr_scheduler::LRScheduler> scheduler;
  };
  void add_optimizer(const std::string& name, std::vector<taper::Tensor> params,
                     const taper::Value& options);

  std::vector<taper::optim::lr_scheduler::SchedulerRef> schedulers(bool per_batch) const;

  std::vector<ScheduledOptimizer> optimizers_;
  bool is_stepped_per_batch_ = false;
};

}  // namespace training
