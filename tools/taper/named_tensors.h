// Checkpoints that are one dict of tensors by name.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::cli {

bool is_named_tensors(const taper::Value& v);
/// What to do about a checkpoint that is none, as the end of a sentence.
std::string advice(const taper::Value& value);
/// All tensors of a nested value in one dict, under the names that taper show prints; what is no
/// tensor is left out. Throws taper::KeyError for two of one name.
taper::Value flattened(const taper::Value& value);

}  // namespace taper::cli
