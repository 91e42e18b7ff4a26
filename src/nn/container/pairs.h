// Names with values, from what is known at run time only.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/value.h"

namespace taper::nn {

/// The entries of a dict, or of a list of pairs. Throws TypeError and ValueError as PyTorch's
/// `update` of a container does: `method` and `element` are what its texts begin with.
std::vector<std::pair<Value, Value>> pairs_of(const Value& items, std::string_view method,
                                              std::string_view element);

}  // namespace taper::nn
