// OneCycleLR: the 1cycle policy.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/per_group.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of OneCycleLR. Either total_steps, or epochs and steps_per_epoch, must be set.
struct OneCycleLROptions {
  std::optional<IntArg> total_steps{};      ///< number of steps of the cycle
  std::optional<IntArg> epochs{};           ///< number of epochs
  std::optional<IntArg> steps_per_epoch{};  ///< number of steps per epoch
  FloatArg pct_start = 0.3;                 ///< fraction of the steps in which the rate rises
  std::string anneal_strategy = "cos";      ///< "cos" or "linear"
  bool cycle_momentum = true;               ///< cycles the momentum inversely to the rate
  PerGroup base_momentum = 0.85;            ///< momentum at the largest rate
  PerGroup max_momentum = 0.95;             ///< momentum at the smallest rates
  FloatArg div_factor = 25;                 ///< initial_lr = max_lr / div_factor
  FloatArg final_div_factor = 1e4;          ///< min_lr = initial_lr / final_div_factor
  bool three_phase = false;                 ///< a third phase from initial_lr to min_lr follows
  IntArg last_epoch = -1;                   ///< index of the last step
};

/// Anneals the rate from initial_lr to max_lr and then to min_lr. One step is one batch. Within a
/// phase from value a to b, at its fraction p:
///
///     cos:     b + (a - b) / 2 * (1 + cos(pi * p))
///     linear:  (b - a) * p + a
///
/// | phases | from | to | last step | momentum |
/// |---|---|---|---|---|
/// | 2 | initial_lr | max_lr | pct_start * total_steps - 1 | max to base |
/// |   | max_lr | min_lr | total_steps - 1 | base to max |
/// | 3 | initial_lr | max_lr | pct_start * total_steps - 1 | max to base |
/// |   | max_lr | initial_lr | 2 * pct_start * total_steps - 2 | base to max |
/// |   | initial_lr | min_lr | total_steps - 1 | max |
///
/// The options `initial_lr`, `max_lr`, `min_lr`, `base_momentum` and `max_momentum` of the groups
/// hold these values. The momentum is the option `momentum`, or the first of `betas` if the
/// optimizer has betas. Throws ValueError for numbers of steps that are not positive, if pct_start
/// is not in [0, 1], for an unknown strategy, if a list has a length other than the number of
/// groups, and if the optimizer has neither momentum nor betas but cycle_momentum is true. A step
/// to an epoch greater than total_steps throws ValueError. Smith and Topin, "Super-Convergence:
/// Very Fast Training of Neural Networks Using Large Learning Rates", arXiv:1708.07120.
/// PyTorch: torch.optim.lr_scheduler.OneCycleLR.
class OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, const PerGroup& max_lr, const OneCycleLROptions& options);
  std::string_view type_name() const override { return "OneCycleLR"; }

  std::int64_t total_steps;
  bool cycle_momentum, use_beta1 = false;

 protected:
  std::vector<double> compute_lr() const override;
  Momenta compute_momentum() const override;
  void prepare_groups() override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  std::vector<double> compute_annealed(const char* start_key, const char* end_key) const;

  Value schedule_phases_;  // list of dicts, as in the state dict
  std::string anneal_func_type_;
  // Numbers per group from which prepare_groups initializes the options of the groups.
  std::vector<double> max_lrs_, base_momentums_, max_momentums_;
  double div_factor_, final_div_factor_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
