#include "taper/optim/radam.h"

#include <cmath>

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

constexpr StateSpec kRAdamStates[] = {{.name = "exp_avg"}, {.name = "exp_avg_sq"}};

Value defaults_of(const RAdamOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("epsilon value", o.eps);
  check_betas(o.betas);
  check_not_negative("weight_decay value", o.weight_decay);
  return dict_of(o);
}

/// Returns the rectification of the variance at step t, or 0 if the variance is intractable.
double rectification(double beta2, double t) {
  const double decay = std::pow(beta2, t);
  const double limit = 2 / (1 - beta2) - 1;
  const double length = limit - 2 * t * decay / (1 - decay);
  if (length <= 5) return 0;
  return std::sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length));
}

}  // namespace

RAdam::RAdam(Params params, const RAdamOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void RAdam::update(ParamGroup& group) {
  const auto [beta1, beta2] = pair_option(group, "betas");
  const ops::RAdamStep step{.lr = number_option(group, "lr"),
                            .beta1 = beta1,
                            .beta2 = beta2,
                            .eps = number_option(group, "eps"),
                            .weight_decay = number_option(group, "weight_decay"),
                            .decoupled = flag_option(group, "decoupled_weight_decay"),
                            .maximize = flag_option(group, "maximize"),
                            .recorded_lr = recorded_lr(group)};
  ElementwiseGroup params(type_name(), group, kRAdamStates, is_check_pass());
  const auto set_step_coefficients = [](ops::RAdamStep& s, double t) {
    s.bias_correction1 = 1 - std::pow(s.beta1, t);
    s.bias_correction2_sqrt = std::sqrt(1 - std::pow(s.beta2, t));
    s.rectification = rectification(s.beta2, t);
  };
  step_elementwise(params, step, set_step_coefficients, ops::radam_step_);
}

void RAdam::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, kRAdamStates);
}

}  // namespace taper::optim
