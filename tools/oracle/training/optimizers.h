// Optimizers by name and options.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "cases/case_file.h"
#include "taper/optim/optimizer.h"

namespace taper::oracle {

using Options = std::map<std::string, Value>;

/// Converts the options of a case: numbers, bools, lists (to tuples) and null (to None).
Options options_of(const Json& object);

bool has_optimizer(const std::string& name);
/// Creates an optimizer. Throws Unsupported for an unknown optimizer.
std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& name, optim::Params params,
                                                 const Options& options);

}  // namespace taper::oracle
