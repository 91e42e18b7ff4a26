// SWALR: learning rate schedule of stochastic weight averaging.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/per_group.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim {

/// Options of SWALR.
struct SWALROptions {
  IntArg anneal_epochs = 10;            ///< epochs until the rate is swa_lr; 0: at once
  std::string anneal_strategy = "cos";  ///< "cos" or "linear"
  IntArg last_epoch = -1;               ///< index of the last epoch
};

/// Anneals the rate from its current value to a constant, stored as the option `swa_lr` of the
/// groups. With x = min(t / anneal_epochs, 1), and a(t) = x for "linear" or
/// a(t) = (1 - cos(pi * x)) / 2 for "cos":
///
///     lr(t) = swa_lr * a(t) + initial_lr * (1 - a(t))
///
/// Throws ValueError for an unknown strategy, a negative number of epochs, and if the length of
/// `swa_lr` is not the number of groups. PyTorch: torch.optim.swa_utils.SWALR.
///
///     optim::SWALR scheduler(opt, 0.05, {.anneal_epochs = 5});
///     for (...) {
///       train();
///       average.update_parameters(net);
///       scheduler.step();
///     }
///     optim::update_bn(loader, average);
class SWALR : public lr_scheduler::LRScheduler {
 public:
  SWALR(Optimizer& optimizer, const lr_scheduler::PerGroup& swa_lr,
        const SWALROptions& options = {});
  std::string_view type_name() const override { return "SWALR"; }

  std::int64_t anneal_epochs;

 protected:
  std::vector<double> compute_lr() const override;
  void prepare_groups() override;
  void visit_state(lr_scheduler::StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  double anneal_func(double t) const;

  std::string anneal_strategy_;
  std::vector<double> swa_lrs_;  // for prepare_groups
};

}  // namespace optim
}  // namespace taper
