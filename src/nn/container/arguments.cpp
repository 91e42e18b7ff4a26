#include "nn/container/arguments.h"

#include "core/check.h"
#include "nn/module/type_text.h"
#include "taper/core/factory.h"

namespace taper::nn {

std::shared_ptr<Module> child_of(const Value& child) {
  if (child.is_none()) return nullptr;
  if (!child.is_module()) fail<TypeError>("{} is not a Module subclass", type_text(child));
  std::shared_ptr<Module> shared = shared_module_of(child);
  if (!shared)
    fail<TypeError>(
        "containers require shared modules: create the value of '{}' from a std::shared_ptr",
        type_text(child));
  return shared;
}

std::vector<NamedChild> named_children(const Value& modules) {
  std::vector<NamedChild> all;
  for (const auto& [name, child] : modules.as_dict()) {
    if (!name.is_string())
      fail<TypeError>("module name should be a string. Got {}", name.type_name());
    all.emplace_back(name.as_string(), child_of(child));
  }
  return all;
}

Value zeroed_element(const Value& element) {
  if (!element.is_tensor()) return element;
  const Tensor zero_tensor = zeros_like(element.as_tensor().detach());
  return element.is_parameter()
             ? Value::parameter(Parameter(zero_tensor, element.as_tensor().requires_grad()))
             : Value(zero_tensor);
}

}  // namespace taper::nn
