#include "models/model_state.h"

#include <algorithm>

#include "cases/compare.h"
#include "cases/sha256.h"
#include "training/model.h"

namespace taper::oracle {

Value state_list(nn::Module& model) {
  std::vector<std::string> parameters;
  for (const auto& p : model.named_parameters({.remove_duplicate = false}))
    parameters.push_back(p.name);
  Values list;
  for (const auto& [key, tensor] : state_entries(model)) {
    const bool is_parameter =
        std::find(parameters.begin(), parameters.end(), key) != parameters.end();
    const std::string bytes = bytes_of(tensor);
    Values shape;
    for (const std::int64_t size : tensor.shape()) shape.emplace_back(size);
    list.push_back(
        Value::list({key, std::string(name_of(tensor.dtype())), Value::list(shape),
                     is_parameter ? "parameter" : "buffer", sha256(bytes.data(), bytes.size())}));
  }
  return Value::list(std::move(list));
}

std::vector<Tensor> state_tensors(nn::Module& model) {
  std::vector<Tensor> tensors;
  for (const auto& [key, tensor] : state_entries(model)) tensors.push_back(tensor);
  return tensors;
}

Value parameter_names(const nn::Module& model) {
  Values names;
  for (const auto& p : model.named_parameters()) names.emplace_back(p.name);
  return Value::list(std::move(names));
}

Value buffer_names(const nn::Module& model) {
  Values names;
  for (const auto& b : model.named_buffers()) names.emplace_back(b.name);
  return Value::list(std::move(names));
}

std::int64_t count_parameters(const nn::Module& model) {
  std::int64_t count = 0;
  for (const Tensor& p : model.parameters()) count += p.numel();
  return count;
}

}  // namespace taper::oracle
