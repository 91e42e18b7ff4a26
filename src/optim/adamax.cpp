#include "taper/optim/adamax.h"

#include <cmath>

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

constexpr StateSpec kAdamaxStates[] = {{.name = "exp_avg"}, {.name = "exp_inf"}};

Value defaults_of(const AdamaxOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("epsilon value", o.eps);
  check_betas(o.betas);
  check_not_negative("weight_decay value", o.weight_decay);
  return dict_of(o);
}

}  // namespace

Adamax::Adamax(Params params, const AdamaxOptions& options)
    : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void Adamax::update(ParamGroup& group) {
  const auto [beta1, beta2] = pair_option(group, "betas");
  const ops::AdamaxStep step{.lr = number_option(group, "lr"),
                             .beta1 = beta1,
                             .beta2 = beta2,
                             .eps = number_option(group, "eps"),
                             .weight_decay = number_option(group, "weight_decay"),
                             .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(group, "addcdiv_(): argument 'value'");
  ElementwiseGroup params(type_name(), group, kAdamaxStates, is_check_pass());
  const auto set_step_coefficients = [](ops::AdamaxStep& s, double t) {
    s.bias_correction = 1 - std::pow(s.beta1, t);
  };
  step_elementwise(params, step, set_step_coefficients, ops::adamax_step_);
}

void Adamax::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, kAdamaxStates);
}

}  // namespace taper::optim
