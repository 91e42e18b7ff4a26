#include "optim/lr_scheduler/groups.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/warning.h"

namespace taper::optim::lr_scheduler {

void set_number(const ParamGroup& group, std::string_view name, double number) {
  const Value& now = option(group, name);
  if (now.is_tensor()) {
    const NoGrad guard;
    now.as_tensor().fill_(number);
  } else if (!(now == Value(number))) {
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
    Values contents;
    for (const auto& [name, value] : group.options().as_dict())
      contents.push_back(value.is_tensor() ? Value(value.as_tensor().detach().clone()) : Value());
    contents_.push_back(std::move(contents));
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
      if (const Value& content = contents_[g][i++]; content.is_tensor())
        value.as_tensor().copy_(content.as_tensor());
      options.set(name, value);
    }
  }
}

}  // namespace taper::optim::lr_scheduler
