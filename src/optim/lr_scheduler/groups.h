// Options of parameter groups as numbers, and their backup.
#pragma once
#include <string_view>
#include <vector>

#include "optim/options.h"
#include "taper/optim/optimizer.h"

namespace taper::optim::lr_scheduler {

/// Assigns a number to the option `name`. A tensor is filled. A number that is already equal stays,
/// because an integer is printed and saved as such.
void set_number(const ParamGroup& group, std::string_view name, double number);

/// Assigns a momentum to the option `momentum`, or to the first of `betas`.
void set_momentum(const ParamGroup& group, double momentum, bool use_beta1);

/// Warns that the argument of `step` is deprecated.
void warn_epoch_deprecated();

/// Copy of the options of all groups, restored unless `commit` is called.
class GroupBackup {
 public:
  explicit GroupBackup(const Optimizer& optimizer);
  ~GroupBackup();
  GroupBackup(const GroupBackup&) = delete;
  GroupBackup& operator=(const GroupBackup&) = delete;
  void commit() { optimizer_ = nullptr; }

 private:
  const Optimizer* optimizer_;
  std::vector<Value> options_;    // per group
  std::vector<Values> contents_;  // per group and option: a copy of a tensor, otherwise None
};

}  // namespace taper::optim::lr_scheduler
