#include "dist/sharded.h"

#include "taper/core/dict.h"
#include "taper/dist/sharded_state.h"

namespace taper::oracle {

Value shape_list(const Shape& shape) { return Value::list(Values(shape.begin(), shape.end())); }

Value full_state(const nn::Module& model) {
  const Value state = distributed::get_model_state_dict(model, {.full_state_dict = true});
  Value copy = Value::dict();
  for (const auto& [key, value] : state.as_dict()) copy[key] = value.as_tensor().clone();
  return copy;
}

Value full_gradients(const nn::Module& model) {
  Value grads = Value::dict();
  for (const nn::NamedTensor& p : model.named_parameters())
    grads[p.name] = p.value.grad().defined()
                        ? Value(distributed::full_tensor(p.value, p.value.grad()).clone())
                        : Value();
  return grads;
}

void use_whole_values(StepRunner& runner) {
  runner.state = [&model = runner.model] { return full_state(model); };
  runner.gradients = [&model = runner.model] { return full_gradients(model); };
  runner.clip = [&model = runner.model](double max_norm) -> Tensor {
    return distributed::clip_grad_norm_(model, max_norm);
  };
}

}  // namespace taper::oracle
