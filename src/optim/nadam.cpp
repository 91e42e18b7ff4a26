#include "taper/optim/nadam.h"

#include <cmath>

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

constexpr StateSpec kNAdamStates[] = {{.name = "mu_product", .initial = 1, .scalar = true},
                                      {.name = "exp_avg"},
                                      {.name = "exp_avg_sq"}};

Value defaults_of(const NAdamOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("epsilon value", o.eps);
  check_betas(o.betas);
  check_not_negative("weight_decay value", o.weight_decay);
  check_not_negative("momentum_decay value", o.momentum_decay);
  return dict_of(o);
}

/// Returns value * factor, computed in `dtype`, that of the tensor that stores the value.
double multiply_in_dtype(DType dtype, double value, double factor) {
  return dtype == DType::f64
             ? value * factor
             : static_cast<double>(static_cast<float>(value) * static_cast<float>(factor));
}

}  // namespace

NAdam::NAdam(Params params, const NAdamOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void NAdam::update(ParamGroup& group) {
  const auto [beta1, beta2] = pair_option(group, "betas");
  const double momentum_decay = number_option(group, "momentum_decay");
  const ops::NAdamStep step{.lr = number_option(group, "lr"),
                            .beta1 = beta1,
                            .beta2 = beta2,
                            .eps = number_option(group, "eps"),
                            .weight_decay = number_option(group, "weight_decay"),
                            .decoupled = flag_option(group, "decoupled_weight_decay"),
                            .maximize = flag_option(group, "maximize"),
                            .recorded_lr = recorded_lr(group)};
  ElementwiseGroup params(type_name(), group, kNAdamStates, is_check_pass());
  double mu = 0, next_mu = 0;
  const auto set_step_coefficients = [&](ops::NAdamStep& s, double t) {
    const auto mu_at = [&](double step_number) {
      return s.beta1 * (1 - 0.5 * std::pow(0.96, step_number * momentum_decay));
    };
    s.bias_correction2 = 1 - std::pow(s.beta2, t);
    mu = mu_at(t);
    next_mu = mu_at(t + 1);
  };
  std::vector<double> products(params.size());
  const auto set_param_coefficients = [&](ops::NAdamStep& s, std::size_t i) {
    const Tensor& stored = params.scalar(i, 0);
    const double product = multiply_in_dtype(stored.dtype(), ops::scalar_value(stored), mu);
    const double lr = s.recorded_lr ? 1 : s.lr;
    s.grad_factor = lr * (1 - mu) / (1 - product);
    s.average_factor = lr * next_mu / (1 - product * next_mu);
    products[i] = product;
  };
  step_elementwise(params, step, set_step_coefficients, set_param_coefficients, ops::nadam_step_);
  if (is_check_pass()) return;
  for (std::size_t i = 0; i < params.size(); ++i)
    ops::set_scalar_(params.scalar(i, 0), products[i]);
}

void NAdam::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, kNAdamStates);
}

}  // namespace taper::optim
