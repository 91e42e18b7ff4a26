#include "taper/optim/rmsprop.h"

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

std::array<StateSpec, 3> rmsprop_states(bool momentum, bool centered) {
  return {{{.name = "square_avg"},
           {.name = "momentum_buffer", .used = momentum},
           {.name = "grad_avg", .used = centered}}};
}

Value defaults_of(const RMSpropOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("epsilon value", o.eps);
  check_not_negative("momentum value", o.momentum);
  check_not_negative("weight_decay value", o.weight_decay);
  check_not_negative("alpha value", o.alpha);
  return dict_of(o);
}

}  // namespace

RMSprop::RMSprop(Params params, const RMSpropOptions& options)
    : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void RMSprop::update(ParamGroup& group) {
  const ops::RMSpropStep step{.lr = number_option(group, "lr"),
                              .alpha = number_option(group, "alpha"),
                              .eps = number_option(group, "eps"),
                              .weight_decay = number_option(group, "weight_decay"),
                              .momentum = number_option(group, "momentum"),
                              .centered = flag_option(group, "centered"),
                              .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(
      group, step.momentum > 0 ? "add_(): argument 'alpha'" : "addcdiv_(): argument 'value'");
  ElementwiseGroup params(type_name(), group, rmsprop_states(step.momentum > 0, step.centered),
                          is_check_pass());
  step_elementwise(
      params, step, [](ops::RMSpropStep&, double) {}, ops::rmsprop_step_);
}

void RMSprop::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, rmsprop_states(false, false));
}

}  // namespace taper::optim
