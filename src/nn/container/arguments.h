// What containers are made from by name.
#pragma once
#include <memory>
#include <vector>

#include "nn/make/row.h"
#include "taper/nn/container.h"

namespace taper::nn {

/// A child among the arguments; null for None. Throws TypeError for what is no module, or one that
/// nothing shares.
std::shared_ptr<Module> child_of(const Value& child);
/// The children of a dict.
std::vector<NamedChild> named_children(const Value& modules);
/// An element of a list of parameters for a list of its own: tensors are zeros of the same shape.
Value fresh_element(const Value& element);

}  // namespace taper::nn
