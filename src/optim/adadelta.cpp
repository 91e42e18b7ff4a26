#include "taper/optim/adadelta.h"

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

constexpr StateSpec kAdadeltaStates[] = {{.name = "square_avg"}, {.name = "acc_delta"}};

Value defaults_of(const AdadeltaOptions& o) {
  check_not_negative("learning rate", o.lr);
  if (!(o.rho.to_double() >= 0 && o.rho.to_double() <= 1))
    fail<ValueError>("Invalid rho value: {}", o.rho.str());
  check_not_negative("epsilon value", o.eps);
  check_not_negative("weight_decay value", o.weight_decay);
  return dict_of(o);
}

}  // namespace

Adadelta::Adadelta(Params params, const AdadeltaOptions& options)
    : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void Adadelta::update(ParamGroup& group) {
  const ops::AdadeltaStep step{.lr = number_option(group, "lr"),
                               .rho = number_option(group, "rho"),
                               .eps = number_option(group, "eps"),
                               .weight_decay = number_option(group, "weight_decay"),
                               .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(group, "add_(): argument 'alpha'");
  ElementwiseGroup params(type_name(), group, kAdadeltaStates, is_check_pass());
  step_elementwise(
      params, step, [](ops::AdadeltaStep&, double) {}, ops::adadelta_step_);
}

void Adadelta::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, kAdadeltaStates);
}

}  // namespace taper::optim
