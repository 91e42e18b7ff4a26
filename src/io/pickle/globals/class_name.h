// Classification of the names of globals, which are never resolved.
#pragma once
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::io {

/// Returns "module.name".
std::string global_name(std::string_view module, std::string_view name);
/// Returns "module.name" of a global.
std::string global_name(const Value& global);

/// Returns true if the last part of a name follows Python's convention for classes: "Conv2d",
/// "_VariableFunctionsClass".
bool is_class_name(std::string_view name);
/// Returns true if `name` is a dotted name whose prefixes follow Python's convention for classes
/// ("Outer.Inner"). Protocols before 4 pickle such a name as getattr(Outer, 'Inner'). Returns false
/// for dangerous names, and if module and name have more than 150 characters together.
bool is_nested_name(std::string_view module, std::string_view name);

}  // namespace taper::io
