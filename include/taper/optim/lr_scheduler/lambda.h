// LambdaLR and MultiplicativeLR: schedules given by functions.
#pragma once
#include "taper/core/api.h"
#include "taper/optim/lr_scheduler/rate_function.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Multiplies the initial rate by a function of the epoch:
///
///     lr(t) = initial_lr * lr_lambda(t)
///
/// `lr_lambda` is a function, or a list with one function per group. The state dict contains the
/// state of functions that have `state_dict` and `load_state_dict`, and None for others. Throws
/// ValueError if the length of the list is not the number of groups, and TypeError for an empty
/// function. PyTorch: torch.optim.lr_scheduler.LambdaLR.
///
///     LambdaLR scheduler(opt, [](std::int64_t epoch) { return std::pow(0.95, epoch); });
class LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, const LRLambdas& lr_lambda, IntArg last_epoch = -1);
  std::string_view type_name() const override { return "LambdaLR"; }

  std::vector<LRLambda> lr_lambdas;  ///< function of each group

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;
};

/// Multiplies the current rate by a function of the epoch:
///
///     lr(t) = lr(t - 1) * lr_lambda(t)
///
/// Arguments, errors and state are those of LambdaLR.
/// PyTorch: torch.optim.lr_scheduler.MultiplicativeLR.
class MultiplicativeLR : public LRScheduler {
 public:
  MultiplicativeLR(Optimizer& optimizer, const LRLambdas& lr_lambda, IntArg last_epoch = -1);
  std::string_view type_name() const override { return "MultiplicativeLR"; }

  std::vector<LRLambda> lr_lambdas;  ///< function of each group

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
