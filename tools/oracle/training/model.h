// MODELs of the training cases: networks written as data.
#pragma once
#include "layers/build.h"

namespace taper::oracle {

/// {"name", "args", "children", "key"}. Throws BadCase for other fields, Missing for what does not
/// exist.
Built build_model(const Json& model);

/// An argument of a layer by its name: element types, lists, numbers that JSON cannot write.
Value option_value(const std::string& name, const Json& value);

/// Entries of the state dict, by key, in order.
std::vector<std::pair<std::string, Tensor>> state_entries(nn::Module& model);

}  // namespace taper::oracle
