#include "nn/registry/layer_schema.h"

#include <algorithm>

namespace taper::nn {
namespace {

const Value* find(const NamedArguments& arguments, std::string_view name) {
  for (const auto& [key, value] : arguments)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

void add_tensor_arguments(NamedArguments& arguments, const Module& m) {
  std::vector<Tensor> tensors = m.parameters();
  if (tensors.empty()) tensors = m.buffers();
  const bool has = !tensors.empty();
  arguments.emplace_back("device", has ? Value(tensors[0].device()) : Value());
  arguments.emplace_back("dtype", has ? Value(tensors[0].dtype()) : Value());
}

std::string layer_signature(const char* required, const NamedArguments& defaults,
                            const char* order) {
  std::string text = required;
  const auto add = [&](std::string_view name, const Value* value) {
    text += (text.empty() ? "" : ", ") + std::string(name);
    if (value) text += "=" + value->repr();
  };
  if (!order)
    for (const auto& [name, value] : defaults) add(name, &value);
  static const NeverDestroyed<Value> none;
  for (std::string_view name; order && !(name = taper::detail::next_name(order)).empty();) {
    const bool is_unstored =
        std::count(kUnstoredArguments.begin(), kUnstoredArguments.end(), name) > 0;
    const Value* const value = is_unstored ? &*none : find(defaults, name);
    if (!value && name != "*") fail<RuntimeError>("the signature names {}, no option", name);
    add(name, value);
  }
  return text;
}

Values in_order_of(const std::vector<SignatureEntry>& signature, const NamedArguments& arguments) {
  Values values;
  std::size_t count = 0;
  for (const SignatureEntry& e : signature) {
    const Value* const value = find(arguments, e.name);
    values.push_back(value ? *value : Value());
    if (value) count = values.size();
  }
  values.resize(count);
  return values;
}

}  // namespace taper::nn
