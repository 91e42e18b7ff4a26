// How ParameterList and ParameterDict print an element.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::nn {

/// "  (name): Parameter containing: [torch.float32 of size 2x3]"; `type` is what stands before "of
/// size".
std::string element_line(const std::string& name, const Value& element,
                         std::string (*type)(const Tensor&));

}  // namespace taper::nn
