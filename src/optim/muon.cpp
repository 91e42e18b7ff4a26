#include "taper/optim/muon.h"

#include <algorithm>
#include <cmath>

#include "optim/options.h"
#include "taper/core/factory.h"
#include "taper/ops/linalg.h"
#include "taper/ops/optimizer_step.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/reduce.h"
#include "taper/ops/view.h"

namespace taper::optim {
namespace {

/// Throws PyTorch's ValueError if v is negative or NaN.
void check_muon_option(std::string_view name, const Scalar& v) {
  if (!(v.to_double() >= 0)) fail<ValueError>("{} should be >= 0 but is: {}", name, v.str());
}

Value defaults_of(const MuonOptions& o) {
  check_muon_option("Learning rate", o.lr);
  check_muon_option("momentum", o.momentum);
  check_muon_option("weight decay", o.weight_decay);
  if (o.adjust_lr_fn && *o.adjust_lr_fn != "original" && *o.adjust_lr_fn != "match_rms_adamw")
    fail<ValueError>("Adjust learning rate function {} is not supported", *o.adjust_lr_fn);
  return dict_of(o);
}

/// Returns `t`, rounded to bfloat16, as float32.
Tensor round_to_bf16(const Tensor& t) { return t.to(DType::bf16).to(DType::f32); }

struct NewtonSchulz {
  double a, b, c, eps;
  std::int64_t steps;

  explicit NewtonSchulz(const ParamGroup& group)
      : eps(number_option(group, "eps")), steps(option(group, "ns_steps").as_int()) {
    if (steps >= 100)
      fail<ValueError>("Number of steps must be less than 100 for computational efficiency");
    const Values& coefficients = option(group, "ns_coefficients").as_sequence();
    if (coefficients.size() != 3)
      fail<ValueError>("Coefficients must be a tuple of exactly 3 values");
    a = coefficients[0].as_double();
    b = coefficients[1].as_double();
    c = coefficients[2].as_double();
  }

  /// Returns an approximation of U V^T, where U S V^T is the singular value decomposition of `m`.
  Tensor operator()(const Tensor& m) const {
    const bool tall = m.size(0) > m.size(1);
    Tensor x = round_to_bf16(tall ? m.t() : m);
    x = x.div(round_to_bf16(x.norm()).clamp_min(eps)).to(DType::bf16);
    for (std::int64_t i = 0; i < steps; ++i) {
      const Tensor gram = x.mm(x.t());
      const Tensor update = gram.addmm(gram, gram, b, c);
      x = x.addmm(update, x, a);
    }
    x = x.to(DType::f32);
    return tall ? x.t() : x;
  }
};

/// Returns the factor of the learning rate. `adjust_lr_mode` is the option adjust_lr_fn.
double lr_adjustment(std::string_view adjust_lr_mode, const Tensor& param) {
  const auto rows = static_cast<double>(param.size(0)),
             columns = static_cast<double>(param.size(1));
  if (adjust_lr_mode == "original") return std::sqrt(std::max(1.0, rows / columns));
  if (adjust_lr_mode == "match_rms_adamw") return 0.2 * std::sqrt(std::max(rows, columns));
  return 1;
}

}  // namespace

Muon::Muon(Params params, const MuonOptions& options) : Optimizer(defaults_of(options), true) {
  for (const ParamGroup& group : params.groups())
    for (const Tensor& p : group.params())
      if (p.defined() && p.dim() != 2)
        fail<ValueError>(
            "Muon only supports 2D parameters whereas we found a parameter with size: {}",
            Value(p.shape()).str());
  add_params(std::move(params));
}

void Muon::update(ParamGroup& group) {
  const double lr = number_option(group, "lr"), momentum = number_option(group, "momentum"),
               weight_decay = number_option(group, "weight_decay");
  const bool nesterov = flag_option(group, "nesterov");
  const NewtonSchulz orthogonalize(group);
  const Value& adjust = option(group, "adjust_lr_fn");
  const std::string adjust_lr_mode = adjust.is_none() ? "original" : adjust.as_string();

  // All errors before any change.
  std::vector<Tensor> buffers(group.params().size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Tensor& param = group.params()[i];
    const Tensor& grad = param.grad();
    if (!grad.defined()) continue;
    if (grad.dim() != 2) fail<ValueError>("Param gradient must be a 2D matrix");
    buffers[i] = state_tensor(group.state(i), "momentum_buffer");
    const ops::StepTensors tensors{&param, &grad, {buffers[i].defined() ? &buffers[i] : nullptr}};
    ops::check_step(type_name(), {&tensors, 1});
  }
  if (is_check_pass()) return;

  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Tensor& param = group.params()[i];
    const Tensor& grad = param.grad();
    Tensor& buffer = buffers[i];
    if (!grad.defined()) continue;
    if (!buffer.defined()) {
      buffer = zeros_like(grad);
      set_state_tensor(group.state(i), "momentum_buffer", buffer);
    }
    if (param.numel() == 0) continue;
    buffer.lerp_(grad, 1 - momentum);
    const Tensor update = orthogonalize(nesterov ? grad.lerp(buffer, momentum) : buffer);
    param.mul_(1 - lr * weight_decay);
    param.add_(update, -lr * lr_adjustment(adjust_lr_mode, param));
  }
}

void Muon::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  const Value* buffer = find_named(state, "momentum_buffer");
  if (buffer && !buffer->is_none())
    check_state_tensor("Muon.load_state_dict", "momentum_buffer", buffer, param.shape());
}

}  // namespace taper::optim
