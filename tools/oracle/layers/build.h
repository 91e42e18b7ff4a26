// Construction of modules from names and arguments.
#pragma once
#include <memory>
#include <string>

#include "taper/nn/registry.h"
#include "values/arguments.h"
#include "values/reader.h"

namespace taper::oracle {

using Built = std::shared_ptr<nn::Module>;

/// Creates a layer or loss by its class name in torch.nn. Throws Unsupported if the library lacks
/// it.
Built make_layer(const std::string& name, Values positional, std::map<std::string, Value> named);

/// Creates a composite or layer from its specification in the layer cases: {"name", "args",
/// "children"}.
Built build_module(const Json& spec, Reader& read);

}  // namespace taper::oracle
