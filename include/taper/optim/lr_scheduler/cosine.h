// CosineAnnealingLR and CosineAnnealingWarmRestarts: schedules along a cosine.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of CosineAnnealingLR.
struct CosineAnnealingLROptions {
  FloatArg eta_min = 0;    ///< smallest rate
  IntArg last_epoch = -1;  ///< index of the last epoch
};

/// Anneals the rate along a cosine with half period T_max:
///
///     lr(t) = eta_min + (initial_lr - eta_min) * (1 + cos(pi * t / T_max)) / 2
///
/// Each step computes the rate from the previous one, which other schedulers may have changed. A
/// step throws ValueError if T_max is zero. Loshchilov and Hutter, "SGDR: Stochastic Gradient
/// Descent with Warm Restarts", arXiv:1608.03983.
/// PyTorch: torch.optim.lr_scheduler.CosineAnnealingLR.
class CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, IntArg T_max,
                    const CosineAnnealingLROptions& options = {});
  std::string_view type_name() const override { return "CosineAnnealingLR"; }

  std::int64_t T_max;
  double eta_min;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

/// Options of CosineAnnealingWarmRestarts.
struct CosineAnnealingWarmRestartsOptions {
  IntArg T_mult = 1;       ///< factor of the period at each restart
  FloatArg eta_min = 0;    ///< smallest rate
  IntArg last_epoch = -1;  ///< index of the last epoch
};

/// Anneals the rate along a cosine that restarts when T_cur, the number of epochs since the last
/// restart, reaches the period T_i, which is T_0 at first and then multiplied by T_mult:
///
///     lr = eta_min + (initial_lr - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2
///
/// Throws ValueError unless T_0 > 0 and T_mult >= 1. arXiv:1608.03983.
/// PyTorch: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.
class CosineAnnealingWarmRestarts : public LRScheduler {
 public:
  CosineAnnealingWarmRestarts(Optimizer& optimizer, IntArg T_0,
                              const CosineAnnealingWarmRestartsOptions& options = {});
  std::string_view type_name() const override { return "CosineAnnealingWarmRestarts"; }

  /// Proceeds to the next epoch, or to `epoch`, which may be fractional: for batch i of n in an
  /// epoch, `step(epoch + double(i) / n)`. Never warns. Throws ValueError if `epoch` is negative.
  void step(std::optional<Scalar> epoch = {}) override;

  std::int64_t T_0, T_i, T_mult;
  double eta_min;
  Scalar T_cur;  ///< epochs since the last restart; an integer if no step specified an epoch

 protected:
  std::vector<double> compute_lr() const override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;

 private:
  void update_period(const Scalar& epoch);
};

}  // namespace optim::lr_scheduler
}  // namespace taper
