// Checkpoints that consist of one dict of named tensors.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::cli {

/// Returns true if the value is a dict of tensors with strings as keys.
bool is_named_tensors(const taper::Value& v);
/// Returns the remedy for a checkpoint that is not a dict of tensors, to be appended to an error
/// message.
std::string advice(const taper::Value& value);
/// Returns a dict of all tensors of a nested value, under the names that taper show prints. Other
/// values are omitted. Throws taper::KeyError if two tensors have the same name.
taper::Value flattened(const taper::Value& value);

}  // namespace taper::cli
