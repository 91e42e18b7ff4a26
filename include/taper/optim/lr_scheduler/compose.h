// SequentialLR and ChainedScheduler: schedules composed of other schedules.
#pragma once
#include "taper/core/api.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Applies schedulers one after the other: scheduler i from epoch milestones[i - 1] to the epoch
/// before milestones[i]. Each starts at epoch 0 with the initial rates.
///
///     LinearLR warmup(opt, {.start_factor = 0.1, .total_iters = 5});
///     CosineAnnealingLR cosine(opt, 95);
///     SequentialLR scheduler(opt, {warmup, cosine}, {5});
///
/// The schedulers must outlive this one, unless they are given as shared pointers. Throws
/// ValueError if `schedulers` is empty, contains a ReduceLROnPlateau or a scheduler of another
/// optimizer, or if the number of milestones is not one less than that of the schedulers; TypeError
/// for a null pointer. PyTorch: torch.optim.lr_scheduler.SequentialLR.
class SequentialLR : public LRScheduler {
 public:
  SequentialLR(Optimizer& optimizer, std::vector<SchedulerRef> schedulers,
               std::vector<std::int64_t> milestones, std::int64_t last_epoch = -1);
  std::string_view type_name() const override { return "SequentialLR"; }

  /// Proceeds to the next epoch and steps its scheduler. Throws TypeError if an epoch is given.
  void step(std::optional<Scalar> epoch = {}) override;

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  void shift_epoch(std::int64_t by) override;
  std::size_t scheduler_at(std::int64_t epoch) const;

  std::vector<SchedulerRef> schedulers_;
  std::vector<std::int64_t> milestones_;
};

/// Applies several schedulers in every step, each to the rates that the previous one assigned. The
/// schedulers must outlive this one, unless they are given as shared pointers. If one of them
/// throws, none has stepped. Throws ValueError if `schedulers` is empty, or contains a
/// ReduceLROnPlateau or a scheduler of an optimizer other than `optimizer`, by default that of the
/// first; TypeError for a null pointer. PyTorch: torch.optim.lr_scheduler.ChainedScheduler.
class ChainedScheduler : public LRScheduler {
 public:
  explicit ChainedScheduler(std::vector<SchedulerRef> schedulers, Optimizer* optimizer = nullptr);
  std::string_view type_name() const override { return "ChainedScheduler"; }

  /// Steps all schedulers. Throws TypeError if an epoch is given.
  void step(std::optional<Scalar> epoch = {}) override;

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;

 private:
  void shift_epoch(std::int64_t by) override;

  std::vector<SchedulerRef> schedulers_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
