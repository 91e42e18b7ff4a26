#include "taper/optim/adafactor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/elementwise.h"
#include "taper/core/factory.h"
#include "taper/ops/linalg.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/reduce.h"

namespace taper::optim {
namespace {

/// Throws PyTorch's ValueError unless `condition`.
void check_option(bool condition, std::string_view rule, const Scalar& v) {
  if (!condition) fail<ValueError>("{} but is: {}", rule, v.str());
}

Value defaults_of(const AdafactorOptions& o) {
  check_option(o.lr.to_double() >= 0, "Learning rate should be >= 0", o.lr);
  check_option(o.beta2_decay.to_double() <= 0, "beta2_decay should be <= 0", o.beta2_decay);
  if (o.eps.first)
    check_option(o.eps.first->to_double() >= 0, "epsilon1 should be >= 0", *o.eps.first);
  check_option(o.eps.second.to_double() >= 0, "epsilon2 should be >= 0", o.eps.second);
  check_option(o.d.to_double() >= 1, "Clipping threshold d should be >= 1", o.d);
  check_option(o.weight_decay.to_double() >= 0, "weight_decay should be >= 0", o.weight_decay);
  return dict_of(o);
}

/// Returns `shape` with size 1 in a dimension, which is counted from the end: 1 is the last one.
Shape keepdim_shape(const Shape& shape, int dim_from_end) {
  Shape result = shape;
  result[shape.size() - static_cast<std::size_t>(dim_from_end)] = 1;
  return result;
}

double machine_epsilon(DType dtype) {
  switch (dtype) {
    case DType::f64: return std::numeric_limits<double>::epsilon();
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    default: return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
}

/// Returns the root mean square of the elements, divided by `divisor`.
double root_mean_square(const Tensor& t, double divisor = 1) {
  return t.norm(2).item().to_double() / (std::sqrt(static_cast<double>(t.numel())) * divisor);
}

struct AdafactorStep {
  double lr, beta2_decay, eps1, eps2, d, weight_decay;
  bool maximize;
};

Tensor mean_of_squares(const Tensor& g, int dim) {
  const Tensor norm = linalg::vector_norm(g, 2, {dim}, true);
  return norm.mul_(norm).div_(g.size(dim));
}

Tensor update_variance(const Tensor& g, Value& state, const AdafactorStep& o, double weight) {
  if (g.dim() <= 1) {
    const Tensor variance = state_tensor(state, "variance");
    variance.lerp_(g.mul(g), weight);
    return variance.clone();
  }
  const Tensor row = state_tensor(state, "row_var"), column = state_tensor(state, "col_var");
  row.lerp_(mean_of_squares(g, -1), weight);
  column.lerp_(mean_of_squares(g, -2), weight);
  return row.matmul(column).div_(row.mean({-2}, true).clamp_min_(o.eps1));
}

void step_param(const Tensor& p, const Tensor& grad, Value& state, AdafactorStep o) {
  const Tensor g = o.maximize ? grad.neg() : grad;
  const Tensor step = state_tensor(state, "step");
  const double t = ops::scalar_value(step) + 1;
  if (std::isnan(o.eps1)) o.eps1 = machine_epsilon(p.dtype());
  const double relative_step = std::min(o.lr, 1 / std::sqrt(t));
  const double scale = std::max(o.eps2, root_mean_square(p)) * relative_step;
  if (o.weight_decay != 0) p.mul_(1 - o.lr * o.weight_decay);
  const Tensor variance = update_variance(g, state, o, std::pow(t, o.beta2_decay));
  const Tensor update = variance.clamp_min_(o.eps1 * o.eps1).rsqrt_().mul_(g);
  p.add_(update, -scale / std::max(1.0, root_mean_square(update, o.d)));
  ops::set_scalar_(step, t);
}

Value new_state(const Tensor& grad) {
  Value result = Value::dict({{"step", new_step()}});
  if (grad.dim() > 1) {
    const TensorOptions like{.dtype = grad.dtype(), .device = grad.device()};
    result["row_var"] = zeros(keepdim_shape(grad.shape(), 1), like);
    result["col_var"] = zeros(keepdim_shape(grad.shape(), 2), like);
  } else {
    result["variance"] = zeros_like(grad);
  }
  return result;
}

/// Throws ValueError unless the state has the entries of the parameter with their shapes and, if
/// `check_dtype`, the dtype of the parameter. `load_state_dict` converts dtypes.
void check_entries(std::string_view op, const Tensor& param, const Value& state, bool check_dtype) {
  const auto check = [&](std::string_view name, const Shape& shape) {
    const Value* found = find_named(state, name);
    check_state_tensor(op, name, found, shape);
    const DType dtype = found->as_tensor().dtype();
    if (check_dtype && name != "step" && dtype != param.dtype())
      fail<ValueError>("{}: {}: got dtype {}, expected {}", op, name, dtype, param.dtype());
  };
  check("step", Shape());
  if (param.dim() <= 1) return check("variance", param.shape());
  check("row_var", keepdim_shape(param.shape(), 1));
  check("col_var", keepdim_shape(param.shape(), 2));
}

}  // namespace

Adafactor::Adafactor(Params params, const AdafactorOptions& options)
    : Optimizer(defaults_of(options), true) {
  add_params(std::move(params));
}

void Adafactor::update(ParamGroup& group) {
  const Values& eps = option(group, "eps").as_sequence();
  if (eps.size() != 2) fail<ValueError>("Adafactor: eps: expected two values, got {}", eps.size());
  const AdafactorStep step{
      .lr = number_option(group, "lr"),
      .beta2_decay = number_option(group, "beta2_decay"),
      .eps1 = eps[0].is_none() ? std::numeric_limits<double>::quiet_NaN() : eps[0].as_double(),
      .eps2 = eps[1].as_double(),
      .d = number_option(group, "d"),
      .weight_decay = number_option(group, "weight_decay"),
      .maximize = flag_option(group, "maximize")};

  std::vector<Value> states(group.params().size());  // all errors before any change
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Tensor& param = group.params()[i];
    const Tensor& grad = param.grad();
    if (!grad.defined()) continue;
    const ops::StepTensors tensors{&param, &grad, {}};
    ops::check_step(type_name(), {&tensors, 1});
    states[i] = group.state(i);
    if (is_empty_state(states[i]))
      states[i] = new_state(grad);
    else
      check_entries("Adafactor.step", param, states[i], true);
  }
  if (is_check_pass()) return;

  for (std::size_t i = 0; i < states.size(); ++i) {
    const Tensor& param = group.params()[i];
    if (states[i].is_none()) continue;
    group.state(i) = states[i];
    if (param.numel() > 0) step_param(param, param.grad(), states[i], step);
  }
}

void Adafactor::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  if (!is_empty_state(state)) check_entries("Adafactor.load_state_dict", param, state, false);
}

}  // namespace taper::optim
