// Models of the training cases: networks described as data.
#pragma once
#include "layers/build.h"
#include "taper/nn/module.h"

namespace taper::oracle {

/// Runs the children with the numbers `use` on its input, one after the other.
struct Switch : nn::Module {
  std::vector<std::size_t> use = {0};
  TAPER_MODULE(Switch)
  Tensor forward(Tensor x);
};

/// Builds a model from {"name", "args", "children", "key"}. Throws MalformedCase for other fields,
/// Unsupported if the library lacks a part.
Built build_model(const Json& model);

/// Converts an argument of a layer by its name: dtypes, lists, and numbers that JSON cannot
/// represent.
Value option_value(const std::string& name, const Json& value);

/// Returns the entries of the state dict in order.
std::vector<std::pair<std::string, Tensor>> state_entries(nn::Module& model);

}  // namespace taper::oracle
