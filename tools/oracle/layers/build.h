// Modules from their names and arguments.
#pragma once
#include <memory>
#include <string>

#include "taper/nn/make.h"
#include "values/arguments.h"
#include "values/reader.h"

namespace taper::oracle {

using Built = std::shared_ptr<nn::Module>;

/// A layer or loss by its class name in torch.nn. Throws Missing for one that does not exist.
Built make_layer(const std::string& name, Values positional, std::map<std::string, Value> named);

/// MODULE of the layer cases: {"name", "args", "children"}; a composite or a layer.
Built build_module(const Json& spec, Reader& read);

}  // namespace taper::oracle
