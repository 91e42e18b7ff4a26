#include "taper/optim/rprop.h"

#include "optim/elementwise.h"

namespace taper::optim {
namespace {

std::array<StateSpec, 2> rprop_states(double lr = 0) {
  return {{{.name = "prev"}, {.name = "step_size", .initial = lr}}};
}

Value defaults_of(const RpropOptions& o) {
  check_not_negative("learning rate", o.lr);
  const double shrink = o.etas.first.to_double(), grow = o.etas.second.to_double();
  if (!(shrink > 0 && shrink < 1 && grow > 1))
    fail<ValueError>("Invalid eta values: {}, {}", o.etas.first.str(), o.etas.second.str());
  return dict_of(o);
}

}  // namespace

Rprop::Rprop(Params params, const RpropOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void Rprop::update(ParamGroup& group) {
  const auto [eta_minus, eta_plus] = pair_option(group, "etas");
  const auto [step_size_min, step_size_max] = pair_option(group, "step_sizes");
  const ops::RpropStep step{.eta_minus = eta_minus,
                            .eta_plus = eta_plus,
                            .step_size_min = step_size_min,
                            .step_size_max = step_size_max,
                            .maximize = flag_option(group, "maximize")};
  reject_recorded_lr(group, "full_like(): argument 'fill_value' (position 2)");
  ElementwiseGroup params(type_name(), group, rprop_states(number_option(group, "lr")),
                          is_check_pass());
  step_elementwise(
      params, step, [](ops::RpropStep&, double) {}, ops::rprop_step_);
}

void Rprop::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  check_elementwise_state(type_name(), param, state, rprop_states());
}

}  // namespace taper::optim
