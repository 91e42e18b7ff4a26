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
/// Returns the children in a dict of names and modules. Throws TypeError if a key is not a string
/// or if `child_of` rejects a value.
std::vector<NamedChild> named_children(const Value& modules);
/// Returns the element of a container that is created from a description of another container:
/// zeros of the same shape for a tensor, `element` itself for any other value.
Value zeroed_element(const Value& element);

}  // namespace taper::nn
