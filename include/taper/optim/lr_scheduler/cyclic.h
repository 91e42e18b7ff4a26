// CyclicLR: cyclical learning rates.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/per_group.h"
#include "taper/optim/lr_scheduler/rate_function.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of CyclicLR.
struct CyclicLROptions {
  IntArg step_size_up = 2000;              ///< iterations from base_lr to max_lr
  std::optional<IntArg> step_size_down{};  ///< iterations back to base_lr; default: step_size_up
  std::string mode = "triangular";         ///< "triangular", "triangular2" or "exp_range"
  FloatArg gamma = 1;                      ///< base of the scale of "exp_range"
  RateFunction<double> scale_fn{};         ///< scale of the amplitude; replaces `mode`
  std::string scale_mode = "cycle";        ///< argument of scale_fn: "cycle" or "iterations"
  bool cycle_momentum = true;              ///< cycles the momentum inversely to the rate
  PerGroup base_momentum = 0.8;            ///< momentum at max_lr
  PerGroup max_momentum = 0.9;             ///< momentum at base_lr
  IntArg last_epoch = -1;                  ///< index of the last iteration
};

/// Cycles the rate between two bounds. One step is one batch. With p = step_size_up +
/// step_size_down, cycle = floor(1 + t / p) and x = 1 + t / p - cycle:
///
///     h(t) = x <= r ? x / r : (x - 1) / (r - 1),   r = step_size_up / p
///     lr(t) = base_lr + (max_lr - base_lr) * h(t) * scale
///     momentum(t) = max_momentum - (max_momentum - base_momentum) * h(t) * scale
///
/// The scale is 1 for "triangular", 0.5^(cycle - 1) for "triangular2" and gamma^t for "exp_range".
/// The momentum is the option `momentum` of the groups, or the first of `betas` if the optimizer
/// has betas. Throws ValueError for an unknown mode without scale_fn, if a list has a length other
/// than the number of groups, if the optimizer has neither momentum nor betas but cycle_momentum is
/// true, and if the period is zero. Smith, "Cyclical Learning Rates for Training Neural Networks",
/// arXiv:1506.01186. PyTorch: torch.optim.lr_scheduler.CyclicLR.
class CyclicLR : public LRScheduler {
 public:
  CyclicLR(Optimizer& optimizer, const PerGroup& base_lr, const PerGroup& max_lr,
           const CyclicLROptions& options = {});
  std::string_view type_name() const override { return "CyclicLR"; }

  /// Returns the scale of the amplitude for `x`, the index of a cycle (from 1) or of an iteration
  /// (from 0), depending on `scale_mode`. PyTorch: torch.optim.lr_scheduler.CyclicLR.scale_fn.
  double scale_fn(double x) const;

  std::vector<double> max_lrs;
  double total_size, step_ratio;
  std::string mode;
  double gamma;
  std::string scale_mode;
  bool cycle_momentum, use_beta1 = false;
  std::vector<double> base_momentums, max_momentums;

 protected:
  std::vector<double> compute_lr() const override;
  Momenta compute_momentum() const override;
  void prepare_groups() override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  struct Position {
    double height, scale;
  };
  Position position() const;
  void init_scale_mode();

  RateFunction<double> scale_fn_custom_;
  std::vector<double> initial_lrs_;  // base_lr per group
};

}  // namespace optim::lr_scheduler
}  // namespace taper
