// Decomposition of checkpoint values into named parts.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/dict.h"
#include "taper/core/value.h"
#include "taper/io/pickled_module.h"

namespace taper::cli {

/// Returns true for lists, tuples and sets.
bool is_sequence(const taper::Value& v);
/// Returns true for values that are not tensors and do not contain other values: numbers, strings,
/// None, dtypes, ...
bool is_leaf(const taper::Value& v);
/// Returns true if the items of the value are listed individually.
bool has_children(const taper::Value& v);

/// Returns the key of a dict as part of a name.
std::string key_text(const taper::Value& key);
/// Returns the qualified name of a class or function, "torch.nn.modules.linear.Linear", or the type
/// of another value.
std::string name_of(const taper::Value& global);

/// Returns the parts of an opaque object with distinct names.
std::vector<std::pair<std::string, taper::Value>> child_values(const taper::Opaque& o);
/// Returns the parameters, the buffers, the children, and the attributes that contain other values.
std::vector<std::pair<std::string, taper::Value>> child_values(const taper::PickledModule& m);
/// Returns a list of the attributes that are plain values: "in_features=3, out_features=4".
std::string arguments_of(const taper::PickledModule& m);

}  // namespace taper::cli
