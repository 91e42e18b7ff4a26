// Paths of elements within a Value.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::io {

/// Returns the index expression of a dict entry, such as `["model"]` or `[3]`.
std::string key_label(const Value& key);
/// Returns the index expression that leads from `root` to the value at the address `wanted`, such
/// as `["model"]["0.weight"]`. Returns an empty string for the root itself and for a value that is
/// not part of it.
std::string path_to(const Value& root, const Value* wanted);

}  // namespace taper::io
