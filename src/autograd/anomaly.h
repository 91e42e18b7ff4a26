// Anomaly mode in backward: warnings, NaN checks and error contexts that name the forward call.
#pragma once
#include "autograd/node.h"
#include "taper/core/error.h"

namespace taper {

/// Warns that the backward of `node` failed, with the module call that created the node.
void warn_of_failure(const Node& node);
/// Adds the module call that created `node` to an error, unless the error has a context already.
void annotate_error(const Node& node, Error& error);
/// Throws RuntimeError if a gradient that `node` returned contains NaN. Gradients on other devices
/// than the CPU are not checked.
void check_nan(const Node& node, std::span<const Tensor> results);

}  // namespace taper
