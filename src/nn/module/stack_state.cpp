#include <typeinfo>

#include "core/check.h"
#include "taper/nn/functional_call.h"
#include "taper/ops/indexing.h"

namespace taper {
namespace {

using Named = std::vector<nn::NamedTensor>;

const Tensor& tensor_of(const Named& tensors, const std::string& name) {
  for (const nn::NamedTensor& t : tensors)
    if (t.name == name) return t.value;
  fail<KeyError>("stack_module_state: '{}' of the first model is missing in another model", name);
}

Tensor stack_as_leaf(const std::vector<Tensor>& tensors, const std::string& name) {
  const bool expected = tensors[0].requires_grad();
  for (const Tensor& t : tensors)
    if (t.requires_grad() != expected)
      fail<RuntimeError>("Expected {} from each model to have the same .requires_grad", name);
  const Tensor all = stack(tensors);
  return expected ? all.detach().requires_grad_() : all;
}

Value stack_entries(const std::vector<Named>& tensors_per_model) {
  const Value all = Value::dict();
  for (const nn::NamedTensor& first : tensors_per_model[0]) {
    std::vector<Tensor> tensors;
    for (const Named& named : tensors_per_model) tensors.push_back(tensor_of(named, first.name));
    all.as_dict().set(first.name, stack_as_leaf(tensors, first.name));
  }
  return all;
}

}  // namespace

std::pair<Value, Value> func::stack_module_state(const std::vector<nn::Module*>& models) {
  if (models.empty()) fail<RuntimeError>("stack_module_state: Expected at least one model, got 0.");
  const nn::Module& first = *models[0];
  for (const nn::Module* m : models)
    if (m->training != first.training)
      fail<RuntimeError>(
          "stack_module_state: Expected all models to have the same training/eval mode.");
  for (const nn::Module* m : models)
    if (typeid(*m) != typeid(first) || m->type_name() != first.type_name())
      fail<RuntimeError>("stack_module_state: Expected all models to be of the same class.");
  std::vector<Named> parameters, buffers;
  for (nn::Module* m : models) {
    parameters.push_back(m->named_parameters());
    buffers.push_back(m->named_buffers());
  }
  return {stack_entries(parameters), stack_entries(buffers)};
}

std::pair<Value, Value> func::stack_module_state(const nn::ModuleList& models) {
  std::vector<nn::Module*> all;
  for (nn::Module& m : models) all.push_back(&m);
  return stack_module_state(all);
}

}  // namespace taper
