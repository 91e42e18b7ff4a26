// Printed form of the elements of ParameterList and ParameterDict.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::nn {

/// Returns "  (name): Parameter containing: [torch.float32 of size 2x3]". `type` returns the text
/// before "of size".
std::string format_element(const std::string& name, const Value& element,
                           std::string (*type)(const Tensor&));

}  // namespace taper::nn
