#include "taper/optim/asgd.h"

#include <algorithm>
#include <cmath>

#include "optim/elementwise.h"
#include "taper/core/factory.h"

namespace taper::optim {
namespace {

std::array<StateSpec, 3> asgd_states(double lr = 0) {
  return {{{.name = "eta", .initial = lr, .scalar = true},
           {.name = "mu", .initial = 1, .scalar = true},
           {.name = "ax"}}};
}

Value defaults_of(const ASGDOptions& o) {
  check_not_negative("learning rate", o.lr);
  check_not_negative("weight_decay value", o.weight_decay);
  return dict_of(o);
}

/// Returns `value` as a scalar state stores it: rounded to f32 unless the default dtype is f64.
/// PyTorch: torch.as_tensor.
double round_to_scalar_dtype(double value) {
  return default_dtype() == DType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

}  // namespace

ASGD::ASGD(Params params, const ASGDOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void ASGD::update(ParamGroup& group) {
  const double lr = number_option(group, "lr"), alpha = number_option(group, "alpha"),
               t0 = number_option(group, "t0");
  const ops::ASGDStep step{.lambd = number_option(group, "lambd"),
                           .weight_decay = number_option(group, "weight_decay"),
                           .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(group, "add_(): argument 'alpha'");
  ElementwiseGroup params(type_name(), group, asgd_states(lr), is_check_pass());
  struct ScalarStates {
    double eta, mu;
  };
  ScalarStates next_scalars{};
  std::vector<ScalarStates> scalars_per_param(params.size());
  const auto set_step_coefficients = [&](ops::ASGDStep& s, double t) {
    next_scalars = {round_to_scalar_dtype(lr / std::pow(1 + s.lambd * lr * t, alpha)),
                    round_to_scalar_dtype(1 / std::max(1.0, t - t0))};
  };
  const auto set_param_coefficients = [&](ops::ASGDStep& s, std::size_t i) {
    s.eta = ops::scalar_value(params.scalar(i, 0));
    s.mu = ops::scalar_value(params.scalar(i, 1));
    scalars_per_param[i] = next_scalars;
  };
  step_elementwise(params, step, set_step_coefficients, set_param_coefficients, ops::asgd_step_);
  if (is_check_pass()) return;
  for (std::size_t i = 0; i < params.size(); ++i) {
    ops::set_scalar_(params.scalar(i, 0), scalars_per_param[i].eta);
    ops::set_scalar_(params.scalar(i, 1), scalars_per_param[i].mu);
  }
}

void ASGD::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, asgd_states());
}

}  // namespace taper::optim
