// Assignment of numbers to options of parameter groups, and backup of these options.
#pragma once
#include <string_view>
#include <vector>

#include "optim/options.h"
#include "taper/optim/optimizer.h"

namespace taper::optim::lr_scheduler {

/// Assigns a number to the option `name`. If the option is a tensor, fills it. Does not replace an
/// equal number, because an integer, which is printed and saved as such, would become a float.
void set_number_option(const ParamGroup& group, std::string_view name, double number);

/// Assigns a momentum to the option `momentum`, or to the first of `betas` if `use_beta1` is true.
void set_momentum(const ParamGroup& group, double momentum, bool use_beta1);

/// Warns that the argument of `step` is deprecated.
void warn_epoch_deprecated();

/// Copy of the options of all groups. The destructor restores them unless `commit` was called.
class GroupBackup {
 public:
  explicit GroupBackup(const Optimizer& optimizer);
  ~GroupBackup();
  GroupBackup(const GroupBackup&) = delete;
  GroupBackup& operator=(const GroupBackup&) = delete;
  void commit() { optimizer_ = nullptr; }

 private:
  const Optimizer* optimizer_;
  std::vector<Value> options_;         // per group
  std::vector<Values> tensor_copies_;  // per group and option: a copy of a tensor, otherwise None
};

}  // namespace taper::optim::lr_scheduler
