// ConstantLR and LinearLR: schedules that start with a reduced rate.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Options of ConstantLR.
struct ConstantLROptions {
  FloatArg factor = 1.0 / 3;  ///< factor of the rate before epoch total_iters
  IntArg total_iters = 5;     ///< first epoch with the full rate
  IntArg last_epoch = -1;     ///< index of the last epoch
};

/// Multiplies the rate by a constant for a number of epochs:
///
///     lr(t) = initial_lr * (t < total_iters ? factor : 1)
///
/// Throws ValueError if the factor is not in [0, 1]. A step at epoch total_iters throws ValueError
/// if the factor is zero, because the rate cannot be restored from zero.
/// PyTorch: torch.optim.lr_scheduler.ConstantLR.
class ConstantLR : public LRScheduler {
 public:
  explicit ConstantLR(Optimizer& optimizer, const ConstantLROptions& options = {});
  std::string_view type_name() const override { return "ConstantLR"; }

  double factor;
  std::int64_t total_iters;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

/// Options of LinearLR.
struct LinearLROptions {
  FloatArg start_factor = 1.0 / 3;  ///< factor of the first epoch
  FloatArg end_factor = 1;          ///< factor from epoch total_iters on
  IntArg total_iters = 5;           ///< number of epochs of the change
  IntArg last_epoch = -1;           ///< index of the last epoch
};

/// Multiplies the rate by a factor that changes linearly with the epoch:
///
///     lr(t) = initial_lr * (start_factor + (end_factor - start_factor) *
///                                              min(t, total_iters) / total_iters)
///
/// Throws ValueError if start_factor is not in (0, 1] or end_factor is not in [0, 1].
/// PyTorch: torch.optim.lr_scheduler.LinearLR.
class LinearLR : public LRScheduler {
 public:
  explicit LinearLR(Optimizer& optimizer, const LinearLROptions& options = {});
  std::string_view type_name() const override { return "LinearLR"; }

  double start_factor, end_factor;
  std::int64_t total_iters;

 protected:
  std::vector<double> compute_lr() const override;
  std::optional<std::vector<double>> closed_form_lr() const override;
  void visit_state(StateFields& field) override;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
