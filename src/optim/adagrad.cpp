#include "taper/optim/adagrad.h"

#include "optim/elementwise.h"
#include "taper/core/memory.h"

namespace taper::optim {
namespace {

std::array<StateSpec, 1> adagrad_states(double initial = 0) {
  return {{{.name = "sum", .initial = initial}}};
}

Value defaults_of(const AdagradOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("lr_decay value", o.lr_decay);
  check_not_negative("weight_decay value", o.weight_decay);
  check_not_negative("initial_accumulator_value value", o.initial_accumulator_value);
  check_not_negative("epsilon value", o.eps);
  check_fused(o.fused, o.foreach, o.differentiable);
  return dict_of(o);
}

}  // namespace

Adagrad::Adagrad(Params params, const AdagradOptions& options)
    : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
  for (ParamGroup& group : groups()) {
    const auto specs = adagrad_states(number_option(group, "initial_accumulator_value"));
    for (std::size_t i = 0; i < group.params().size(); ++i)
      group.state(i) = new_elementwise_state(group.params()[i], specs);
  }
}

void Adagrad::share_memory() {
  for (ParamGroup& group : groups())
    for (std::size_t i = 0; i < group.params().size(); ++i)
      if (const Tensor sum = state_tensor(group.state(i), "sum"); sum.defined()) memory::share(sum);
}

void Adagrad::update(ParamGroup& group) {
  const double lr = number_option(group, "lr"), lr_decay = number_option(group, "lr_decay");
  const ops::AdagradStep step{.lr = lr,
                              .eps = number_option(group, "eps"),
                              .weight_decay = number_option(group, "weight_decay"),
                              .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(group, "addcdiv_(): argument 'value'");
  ElementwiseGroup params(type_name(), group,
                          adagrad_states(number_option(group, "initial_accumulator_value")),
                          is_check_pass());
  const auto set_step_coefficients = [=](ops::AdagradStep& s, double t) {
    s.lr = lr / (1 + (t - 1) * lr_decay);
  };
  step_elementwise(params, step, set_step_coefficients, ops::adagrad_step_);
}

void Adagrad::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, adagrad_states());
}

}  // namespace taper::optim
