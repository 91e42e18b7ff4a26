// Conversion of the arguments from which containers are constructed.
#pragma once
#include <memory>
#include <vector>

#include "nn/registry/schema.h"
#include "taper/nn/container.h"

namespace taper::nn {

/// Returns the module in an argument, or null for None. Throws TypeError if `child` is not a module
/// or is not owned by a shared pointer.
std::shared_ptr<Module> child_of(const Value& child);
/// Returns the children in a dict.
std::vector<NamedChild> named_children(const Value& modules);
/// Returns the initial value of an element of a parameter list that is created from its
/// description: tensors are replaced with zeros of the same shape.
Value fresh_element(const Value& element);

}  // namespace taper::nn
