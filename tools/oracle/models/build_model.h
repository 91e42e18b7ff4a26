// Models of the case files, by name.
#pragma once
#include <memory>

#include "cases/case.h"
#include "taper/nn/module_base.h"

namespace taper::oracle {

/// Constructs the model `{"name", "args"}`. Throws Unsupported if no model has this name.
std::shared_ptr<nn::Module> build_named_model(const Json& model);

/// Adds noise to each parameter whose elements are all equal and to each running mean, and scales
/// each running variance, after seeding the default generator.
void jitter(nn::Module& model, const Json& seed);

}  // namespace taper::oracle
