// StepLR, MultiStepLR, ExponentialLR and PolynomialLR: schedules that decay the rate.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of StepLR and MultiStepLR.
struct StepLROptions {
  FloatArg gamma = 0.1;    ///< factor of the decay
  IntArg last_epoch = -1;  ///< index of the last epoch
};

/// Multiplies the rate by gamma every `step_size` epochs:
///
///     lr(t) = initial_lr * gamma ^ floor(t / step_size)
///
/// A step throws ValueError if step_size is zero. PyTorch: torch.optim.lr_scheduler.StepLR.
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, IntArg step_size, const StepLROptions& options = {});
  std::string_view type_name() const override { return "StepLR"; }

  std::int64_t step_size;
  double gamma;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

/// Multiplies the rate by gamma at each milestone, once per occurrence in the list:
///
///     lr(t) = initial_lr * gamma ^ (number of milestones <= t)
///
/// PyTorch: torch.optim.lr_scheduler.MultiStepLR.
class MultiStepLR : public LRScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, const std::vector<std::int64_t>& milestones,
              const StepLROptions& options = {});
  std::string_view type_name() const override { return "MultiStepLR"; }

  Value milestones;  ///< number of occurrences by epoch: a dict of class collections.Counter
  double gamma;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
  void check_state(const Value& state) const override;
};

/// Multiplies the rate by gamma every epoch:
///
///     lr(t) = initial_lr * gamma ^ t
///
/// PyTorch: torch.optim.lr_scheduler.ExponentialLR.
class ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, FloatArg gamma, IntArg last_epoch = -1);
  std::string_view type_name() const override { return "ExponentialLR"; }

  double gamma;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

/// Options of PolynomialLR.
struct PolynomialLROptions {
  IntArg total_iters = 5;  ///< number of epochs of the decay
  FloatArg power = 1;      ///< exponent
  IntArg last_epoch = -1;  ///< index of the last epoch
};

/// Decays the rate to zero by a polynomial:
///
///     lr(t) = initial_lr * (1 - min(t, total_iters) / total_iters) ^ power
///
/// PyTorch: torch.optim.lr_scheduler.PolynomialLR.
class PolynomialLR : public LRScheduler {
 public:
  explicit PolynomialLR(Optimizer& optimizer, const PolynomialLROptions& options = {});
  std::string_view type_name() const override { return "PolynomialLR"; }

  std::int64_t total_iters;
  double power;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
