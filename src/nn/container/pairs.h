// Conversion of dicts and lists of pairs to names with values.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/value.h"

namespace taper::nn {

/// Returns the entries of a dict or of a list of pairs. Throws TypeError and ValueError as
/// PyTorch's `update` of a container does, with messages that begin with `method` and `element`.
std::vector<std::pair<Value, Value>> to_pairs(const Value& items, std::string_view method,
                                              std::string_view element);

}  // namespace taper::nn
