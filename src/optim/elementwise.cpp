#include "optim/elementwise.h"

#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace taper::optim {
namespace {

/// Returns the dtype of step counters and scalar states.
/// PyTorch: torch.optim.optimizer._get_scalar_dtype.
DType scalar_dtype() { return default_dtype() == DType::f64 ? DType::f64 : DType::f32; }

Tensor scalar_tensor(double value) { return full({}, value, {.dtype = scalar_dtype()}); }

Tensor initial_state(const StateSpec& spec, const Tensor& param) {
  if (spec.scalar) return scalar_tensor(spec.initial);
  return spec.initial == 0 ? zeros_like(param) : full_like(param, spec.initial);
}

/// Returns the entry `name`, which is usually at `position`, or null if it is absent.
const Value* find_entry(const Value& state, std::size_t position, std::string_view name) {
  const auto& entries = state.as_dict().entries();
  if (position < entries.size()) {
    const auto& [key, value] = entries[position];
    if (key.is_string() && key.as_string() == name) return &value;
  }
  return find_named(state, name);
}

const Tensor& tensor_entry(std::string_view type, const Value& state, std::size_t position,
                           std::string_view name) {
  const Value* found = find_entry(state, position, name);
  if (!found || !found->is_tensor())
    fail<KeyError>("{}: the state of a parameter has no tensor '{}'", type, name);
  return found->as_tensor();
}

}  // namespace

Tensor new_step() { return scalar_tensor(0); }

Value new_elementwise_state(const Tensor& param, std::span<const StateSpec> specs) {
  Value result = Value::dict({{"step", new_step()}});
  for (const StateSpec& spec : specs)
    if (spec.used) result[spec.name] = initial_state(spec, param);
  return result;
}

void check_elementwise_state(std::string_view type, const Tensor& param, const Value& state,
                             std::span<const StateSpec> specs) {
  if (is_empty_state(state)) return;
  const std::string op = std::string(type) + ".load_state_dict";
  const Value* step = find_named(state, "step");
  if (!step || !(step->is_tensor() || step->is_int() || step->is_float()))
    fail<ValueError>("{}: step must be a tensor or a number, got {}", op,
                     step ? step->type_name() : "no entry");
  for (const StateSpec& spec : specs) {
    const Value* found = find_named(state, spec.name);
    if (!found && !spec.used) continue;
    if (spec.scalar && found && found->is_tensor() && found->as_tensor().numel() == 1) continue;
    check_state_tensor(op, spec.name, found, spec.scalar ? Shape() : param.shape());
  }
}

ElementwiseGroup::ElementwiseGroup(std::string_view type, ParamGroup& group,
                                   std::span<const StateSpec> specs, bool check_only)
    : type_(type), check_only_(check_only), group_(group) {
  const std::vector<Tensor>& params = group.params();
  tensors_.reserve(params.size());
  steps_.reserve(params.size());
  scalars_.reserve(params.size());
  try {
    for (std::size_t i = 0; i < params.size(); ++i) {
      const Tensor& grad = params[i].grad();
      if (!grad.defined()) continue;
      Value& state = group.state(i);
      if (is_empty_state(state)) {
        state = new_elementwise_state(params[i], specs);
        new_state_indices_.push_back(i);
      }
      add(params[i], grad, state, specs);
    }
  } catch (...) {
    for (const std::size_t i : new_state_indices_) group_.state(i) = {};
    throw;
  }
}

ElementwiseGroup::~ElementwiseGroup() {
  for (const std::size_t i : new_state_indices_) group_.state(i) = {};
}

void ElementwiseGroup::add(const Tensor& param, const Tensor& grad, Value& state,
                           std::span<const StateSpec> specs) {
  // Checkpoints of old versions of PyTorch store `step` as a number.
  if (const Value* step = find_entry(state, 0, "step");
      step && (step->is_int() || step->is_float()))
    state["step"] = scalar_tensor(step->as_double());
  steps_.push_back(&tensor_entry(type_, state, 0, "step"));

  ops::StepTensors tensors{&param, &grad, {}};
  std::array<const Tensor*, 2> scalars{};
  std::size_t position = 1, next_tensor = 0, next_scalar = 0;
  for (const StateSpec& spec : specs) {
    const Tensor* const found =
        spec.used ? &tensor_entry(type_, state, position++, spec.name) : nullptr;
    if (spec.scalar)
      scalars[next_scalar++] = found;
    else
      tensors.state[next_tensor++] = found;
  }
  tensors_.push_back(tensors);
  scalars_.push_back(scalars);
}

void ElementwiseGroup::commit() {
  for (const Tensor* step : steps_) ops::set_scalar_(*step, ops::scalar_value(*step) + 1);
  new_state_indices_.clear();
}

}  // namespace taper::optim
