#include "taper/optim/sgd.h"

#include "core/check.h"

#include "optim/options.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/optimizer.h"

namespace taper::optim {
namespace {

Value defaults_of(const SGDOptions& o) {
  const auto check = [](const char* what, const Scalar& v) {
    if (v.to_double() < 0) fail<ValueError>("Invalid {}: {}", what, v.str());
  };
  check("learning rate", o.lr);
  check("momentum value", o.momentum);
  check("weight_decay value", o.weight_decay);
  if (o.nesterov && (o.momentum.to_double() <= 0 || o.dampening.to_double() != 0))
    fail<ValueError>("Nesterov momentum requires a momentum and zero dampening");
  check_fused(o.fused, o.foreach, o.differentiable);
  return dict_of(o);
}

}  // namespace

SGD::SGD(Params params, const SGDOptions& options) : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void SGD::update(ParamGroup& group) {
  const bool grad_enabled = is_grad_enabled();
  const ops::SgdStep step{.lr = number_option(group, "lr"),
                          .momentum = number_option(group, "momentum"),
                          .dampening = number_option(group, "dampening"),
                          .weight_decay = number_option(group, "weight_decay"),
                          .nesterov = flag_option(group, "nesterov"),
                          .maximize = flag_option(group, "maximize"),
                          .recorded_lr = recorded_lr(group)};
  std::vector<ops::SgdTensors> tensors;
  // Indices of the parameters whose buffers the step replaces, with their positions in `tensors`.
  std::vector<std::pair<std::size_t, std::size_t>> new_buffers;
  tensors.reserve(group.params().size());
  for (std::size_t i = 0; i < group.params().size(); ++i) {
    const Tensor& param = group.params()[i];
    const Tensor& grad = param.grad();
    if (!grad.defined()) continue;
    Tensor buffer;
    if (step.momentum != 0) {
      buffer = state_tensor(group.state(i), "momentum_buffer");
      if (grad_enabled || !buffer.defined()) new_buffers.emplace_back(i, tensors.size());
    }
    tensors.push_back({&param, &grad, std::move(buffer)});
  }
  if (is_check_pass()) return ops::check_sgd_step(tensors, step);
  ops::sgd_step_(tensors, step);
  for (const auto& [param, position] : new_buffers)
    set_state_tensor(group.state(param), "momentum_buffer", tensors[position].momentum_buffer);
}

void SGD::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  const Value* buffer = find_named(state, "momentum_buffer");
  if (buffer && !buffer->is_none())
    check_state_tensor("SGD.load_state_dict", "momentum_buffer", buffer, param.shape());
}

}  // namespace taper::optim
