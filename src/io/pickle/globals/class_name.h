// What the names of globals tell: nothing of them is ever looked up.
#pragma once
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::io {

/// "module.name".
std::string dotted(std::string_view module, std::string_view name);
/// The same of a value that is a global.
std::string dotted(const Value& global);

/// Whether the last part of a name is written as Python's classes are: "Conv2d",
/// "_VariableFunctionsClass".
bool is_class_name(std::string_view name);
/// Whether "Outer.Inner" of a module is what stands in a class: protocols before 4 spell it
/// getattr(Outer, 'Inner'). False for names that can do harm, and for long ones.
bool is_nested_name(std::string_view module, std::string_view name);

}  // namespace taper::io
