#include "taper/optim/adam.h"

#include <cmath>

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

Value defaults_of(const AdamOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("epsilon value", o.eps);
  check_betas(o.betas);
  check_not_negative("weight_decay value", o.weight_decay);
  check_fused(o.fused, o.foreach, o.differentiable);
  return dict_of(o);
}

AdamOptions to_adam_options(const AdamWOptions& o) {
  return {.lr = o.lr,
          .betas = o.betas,
          .eps = o.eps,
          .weight_decay = o.weight_decay,
          .amsgrad = o.amsgrad,
          .foreach = o.foreach,
          .maximize = o.maximize,
          .capturable = o.capturable,
          .differentiable = o.differentiable,
          .fused = o.fused,
          .decoupled_weight_decay = true};
}

std::array<StateSpec, 3> adam_states(bool amsgrad) {
  return {
      {{.name = "exp_avg"}, {.name = "exp_avg_sq"}, {.name = "max_exp_avg_sq", .used = amsgrad}}};
}

}  // namespace

Adam::Adam(Params params, const AdamOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

AdamW::AdamW(Params params, const AdamWOptions& options)
    : Adam(std::move(params), to_adam_options(options)) {}

void Adam::update(ParamGroup& group) {
  const auto [beta1, beta2] = pair_option(group, "betas");
  const ops::AdamStep step{.lr = number_option(group, "lr"),
                           .beta1 = beta1,
                           .beta2 = beta2,
                           .eps = number_option(group, "eps"),
                           .weight_decay = number_option(group, "weight_decay"),
                           .amsgrad = flag_option(group, "amsgrad"),
                           .decoupled = flag_option(group, "decoupled_weight_decay"),
                           .maximize = flag_option(group, "maximize"),
                           .recorded_lr = recorded_lr(group)};
  ElementwiseGroup params(type_name(), group, adam_states(step.amsgrad), is_check_pass());
  const auto set_step_coefficients = [](ops::AdamStep& s, double t) {
    s.bias_correction1 = 1 - std::pow(s.beta1, t);
    s.bias_correction2_sqrt = std::sqrt(1 - std::pow(s.beta2, t));
  };
  step_elementwise(params, step, set_step_coefficients, ops::adam_step_);
}

void Adam::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, adam_states(false));
}

}  // namespace taper::optim
