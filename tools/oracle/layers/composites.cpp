// Small networks of the cases, and their construction.
#include <algorithm>

#include "cases/outcome.h"
#include "layers/build.h"
#include "taper/nn/module_list.h"
#include "taper/nn/sequential.h"

namespace taper::oracle {
namespace {

// Computes act(body(x) + shortcut(x)). An absent act or shortcut is the identity.
struct Residual : nn::Module {
  TAPER_MODULE(Residual)
  Tensor forward(const Tensor& x) {
    const Tensor y =
        get_submodule("body")(x) + (has("shortcut") ? get_submodule("shortcut")(x) : x);
    return has("act") ? get_submodule("act")(y) : y;
  }

 private:
  bool has(std::string_view name) {
    for (const auto& child : named_children())
      if (child.name == name) return true;
    return false;
  }
};

// Layers in sequence, stored in a list.
struct Chain : nn::Module {
  nn::ModuleList layers;
  TAPER_MODULE(Chain, layers)
  Tensor forward(Tensor x) {
    for (nn::Module& layer : layers) x = layer(x);
    return x;
  }
};

// A dict of modules, for its printed form and state dict keys.
struct ModuleDict : nn::Module {
  TAPER_MODULE(ModuleDict)
};

// Parallel branches, concatenated along dimension 1.
struct Branches : nn::Module {
  TAPER_MODULE(Branches)
  Tensor forward(const Tensor& x) {
    std::vector<Tensor> parts;
    for (const auto& branch : get_submodule("branches").named_children())
      parts.push_back((*branch.module)(x));
    return cat(parts, 1);
  }
};

}  // namespace

Built make_layer(const std::string& name, Values positional, std::map<std::string, Value> named) {
  const std::vector<std::string> known = nn::class_names();
  if (!std::binary_search(known.begin(), known.end(), name)) throw Unsupported(name);
  const Value kwargs = Value::dict();
  for (const auto& [key, value] : named) kwargs[key] = value;
  return nn::make(name, positional, kwargs);
}

Built build_module(const Json& spec, Reader& read) {
  for (const auto& [field, value] : spec.items())
    if (field != "name" && field != "args" && field != "children")
      throw MalformedCase("unknown field '" + field + "' of a module");
  const std::string name = spec.at("name");
  if (!spec.contains("children")) {
    std::map<std::string, Value> args;
    if (const auto given = spec.find("args"); given != spec.end())
      for (const auto& [key, value] : given->items()) args[key] = read(value);
    return make_layer(name, {}, std::move(args));
  }
  std::vector<std::pair<std::string, Built>> children;
  for (const Json& child : spec.at("children"))
    children.emplace_back(child.at(0), build_module(child.at(1), read));
  Built made;
  if (name == "Sequential") {
    made = std::make_shared<nn::Sequential>();
  } else if (name == "Residual") {
    made = std::make_shared<Residual>();
  } else if (name == "Chain") {
    auto chain = std::make_shared<Chain>();
    for (auto& [key, child] : children) chain->layers.append(std::move(child));
    return chain;
  } else if (name == "Branches") {
    auto branches = std::make_shared<ModuleDict>();
    for (auto& [key, child] : children) branches->add_module(key, std::move(child));
    made = std::make_shared<Branches>();
    made->add_module("branches", std::move(branches));
    return made;
  } else {
    throw Unsupported(name);
  }
  for (auto& [key, child] : children) made->add_module(key, std::move(child));
  return made;
}

}  // namespace taper::oracle
