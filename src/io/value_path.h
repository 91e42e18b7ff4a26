// Where in a value something is.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::io {

/// `["model"]` or `[3]`: the index that leads from a dict to the value of this key.
std::string key_label(const Value& key);
/// `["model"]["0.weight"]`: how a program gets from `root` to the value that lies at the address
/// `wanted`. Empty for the root itself, and for what is not inside of it.
std::string path_to(const Value& root, const Value* wanted);

}  // namespace taper::io
