#include "optim/lr_scheduler/groups.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/warning.h"

namespace taper::optim::lr_scheduler {

void set_number_option(const ParamGroup& group, std::string_view name, double number) {
  const Value& current = option(group, name);
  if (current.is_tensor()) {
    const NoGrad guard;
    current.as_tensor().fill_(number);
  } else if (!(current == Value(number))) {
    group[name] = number;
  }
}

void set_momentum(const ParamGroup& group, double momentum, bool use_beta1) {
  if (!use_beta1) {
    group["momentum"] = momentum;
    return;
  }
  Values betas = option(group, "betas").as_sequence();
  betas.at(0) = momentum;
  group["betas"] = Value::tuple(std::move(betas));
}

void warn_epoch_deprecated() {
  warn(
      "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
      "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
      "epoch is different from None, the closed form is used instead of the new chainable form, "
      "where available. Please open an issue if you are unable to replicate your use case: "
      "https://github.com/pytorch/pytorch/issues/new/choose.");
}

GroupBackup::GroupBackup(const Optimizer& optimizer) : optimizer_(&optimizer) {
  for (const ParamGroup& group : optimizer.param_groups()) {
    options_.push_back(group.options().as_dict().copy());
    Values copies;
    for (const auto& [name, value] : group.options().as_dict())
      copies.push_back(value.is_tensor() ? Value(value.as_tensor().detach().clone()) : Value());
    tensor_copies_.push_back(std::move(copies));
  }
}

GroupBackup::~GroupBackup() {
  if (!optimizer_) return;
  const NoGrad guard;
  for (std::size_t g = 0; g < options_.size(); ++g) {
    Dict& options = optimizer_->param_groups()[g].options().as_dict();
    options.clear();
    std::size_t i = 0;
    for (const auto& [name, value] : options_[g].as_dict()) {
      if (const Value& content = tensor_copies_[g][i++]; content.is_tensor())
        value.as_tensor().copy_(content.as_tensor());
      options.set(name, value);
    }
  }
}

}  // namespace taper::optim::lr_scheduler
