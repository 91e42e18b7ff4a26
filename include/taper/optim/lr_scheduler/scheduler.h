// LRScheduler: base class of the learning rate schedulers.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/value.h"
#include "taper/optim/lr_scheduler/state_fields.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Scheduled momenta.
struct Momenta {
  std::vector<double> values{};  ///< per group; empty if momentum is not scheduled
  bool use_beta1 = false;  ///< if true, assigned to the first of `betas` instead of `momentum`
};

/// Base of the learning rate schedulers, which assign the option `lr` of the parameter groups of an
/// optimizer. The optimizer must outlive the scheduler. Construction stores the initial rates as
/// the option `initial_lr` and assigns the rates of epoch 0; each `step`, called after that of the
/// optimizer, assigns those of the next epoch. A failed constructor or step changes nothing. If the
/// option `lr` is a tensor, the rate is written into it. PyTorch:
/// torch.optim.lr_scheduler.LRScheduler.
///
///     optim::SGD opt(net.parameters(), {.lr = 0.1});
///     optim::lr_scheduler::StepLR scheduler(opt, 30, {.gamma = 0.1});
///     for (...) {
///       train(); // calls opt.step()
///       scheduler.step();
///     }
///
/// A user-defined scheduler overrides `compute_lr` and `type_name`, calls `start` at the end of its
/// constructor, and lists its own members in `visit_state`.
class LRScheduler {
 public:
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;
  virtual ~LRScheduler();

  /// Proceeds to the next epoch and assigns its learning rates. The deprecated argument, an
  /// integer, sets the epoch instead, with the closed form of the schedule if it has one. Warns if
  /// the optimizer has not been stepped since the construction of its first scheduler, and about
  /// the argument. PyTorch: torch.optim.lr_scheduler.LRScheduler.step.
  virtual void step(std::optional<Scalar> epoch = {});

  /// Returns the learning rates that the last step assigned, per group.
  /// PyTorch: torch.optim.lr_scheduler.LRScheduler.get_last_lr.
  const std::vector<double>& get_last_lr() const { return last_lr_; }
  /// Computes the learning rates of the current epoch from the current state of the groups.
  /// Intended for schedulers: warns, because the last rates are returned by `get_last_lr`. Does not
  /// assign momenta. PyTorch: torch.optim.lr_scheduler.LRScheduler.get_lr.
  std::vector<double> get_lr() const;

  /// Returns the members of the scheduler as a dict with the keys of PyTorch, without the
  /// optimizer. PyTorch: torch.optim.lr_scheduler.LRScheduler.state_dict.
  Value state_dict();
  /// Restores members from a dict that `state_dict` or PyTorch returned. Unknown keys are stored
  /// and become part of `state_dict`. The current rates are part of the state
  /// dict of the optimizer.
  /// Throws TypeError or ValueError, without any change, if a value is unsuitable. PyTorch:
  /// torch.optim.lr_scheduler.LRScheduler.load_state_dict.
  void load_state_dict(const Value& state_dict);
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&) = delete;  // a file is read by load(path)

  /// Returns the optimizer.
  Optimizer& optimizer() const { return optimizer_; }
  /// Returns the class name.
  virtual std::string_view type_name() const = 0;

  std::int64_t last_epoch;       ///< index of the last epoch
  std::vector<double> base_lrs;  ///< initial learning rates, per group

 protected:
  /// Creates a scheduler that has not been started. Throws KeyError if `last_epoch` is not -1 and a
  /// group lacks the option `initial_lr`.
  explicit LRScheduler(Optimizer& optimizer, std::int64_t last_epoch = -1);
  /// Stores the initial rates and performs the initial step.
  void start();

  /// Returns the learning rates of epoch `last_epoch`, per group.
  virtual std::vector<double> compute_lr() const = 0;
  /// Returns the learning rates of epoch `last_epoch` from `base_lrs` alone; std::nullopt if the
  /// schedule does not have a closed form.
  virtual std::optional<std::vector<double>> closed_form_lr() const;
  /// Returns the momenta of epoch `last_epoch`; by default, they are not scheduled.
  virtual Momenta compute_momentum() const;
  /// Assigns initial options of the groups; called by `start`.
  virtual void prepare_groups() {}
  /// Visits the members that the state dict contains.
  virtual void visit_state(StateFields& field);
  /// Throws if the loaded dict `state`, whose values have the types of their members, is
  /// unsuitable.
  virtual void check_state(const Value& state) const;

  /// Returns true during the initial step.
  bool is_initial() const { return is_initial_; }
  /// Returns the number of steps, including the initial one.
  std::int64_t step_count() const { return step_count_; }
  /// Returns the numeric option `name`, such as "lr", of each group.
  std::vector<double> group_numbers(std::string_view name) const;
  /// Returns the current learning rates times `factor`.
  std::vector<double> scaled_lr(double factor) const;
  /// Assigns learning rates and momenta. Throws ValueError, without any change, if the number of
  /// values is not that of the groups.
  void assign(const std::vector<double>& rates, const Momenta& momenta = {});
  /// Updates `get_last_lr` with the current learning rates.
  void store_last_lr() { last_lr_ = group_numbers("lr"); }

 private:
  friend class StateFields;
  friend class SequentialLR;
  friend class ChainedScheduler;
  friend class ReduceLROnPlateau;
  struct NotCounted {};
  LRScheduler(Optimizer& optimizer, std::int64_t last_epoch, NotCounted);

  void initial_step();
  void update_lr(std::optional<std::int64_t> epoch);
  void visit_initial_step(StateFields& field);
  virtual void shift_epoch(std::int64_t by) { last_epoch += by; }
  void check(const Value& state_dict);
  void load(const Value& state_dict);

  Optimizer& optimizer_;
  std::int64_t step_count_ = 0;  // -1: not counted, and not part of the state dict
  bool is_initial_ = false;
  bool in_step_ = false;  // `_get_lr_called_within_step`, false between calls
  std::vector<double> last_lr_;
  Value unknown_;  // loaded entries that are not members
};

/// Reference to a scheduler: a borrowed one, which must outlive the reference, or a shared one.
class SchedulerRef {
 public:
  SchedulerRef(LRScheduler& scheduler) : scheduler_(std::shared_ptr<LRScheduler>(), &scheduler) {}
  template <class S>
  requires std::convertible_to<S*, LRScheduler*> SchedulerRef(std::shared_ptr<S> scheduler)
      : scheduler_(std::move(scheduler)) {}
  LRScheduler* get() const { return scheduler_.get(); }
  LRScheduler& operator*() const { return *scheduler_; }
  LRScheduler* operator->() const { return scheduler_.get(); }

 private:
  std::shared_ptr<LRScheduler> scheduler_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
