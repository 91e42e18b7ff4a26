// Options per parameter group.
#pragma once
#include "core/check.h"
#include "taper/optim/lr_scheduler/per_group.h"
#include "taper/optim/optimizer.h"

namespace taper::optim::lr_scheduler {

/// Returns a number per group. Throws ValueError if a list has another length.
inline std::vector<double> numbers_per_group(const char* name, const Optimizer& optimizer,
                                             const PerGroup& given) {
  const std::size_t groups = optimizer.param_groups().size(), count = given.numbers().size();
  if (!given.is_list()) return std::vector<double>(groups, given.numbers()[0]);
  if (count != groups)
    fail<ValueError>(
        "{} must have the same length as optimizer.param_groups. {} has {} values, param_groups "
        "has {}.",
        name, name, count, groups);
  return given.numbers();
}

/// Returns true if the optimizer has betas, false if it has a momentum. Throws ValueError if it has
/// neither.
inline bool has_betas(const Optimizer& optimizer) {
  const bool betas = optimizer.defaults().contains("betas");
  if (!betas && !optimizer.defaults().contains("momentum"))
    fail<ValueError>(
        "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
  return betas;
}

}  // namespace taper::optim::lr_scheduler
