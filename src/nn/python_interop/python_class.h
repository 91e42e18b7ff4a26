// Python names of user-defined classes.
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace taper::nn {

/// Returns the Python name of a class, or an empty string if none is registered.
std::string python_name_of(const std::type_info& type);
/// Returns the class that is registered with a Python name, or null.
const std::type_info* find_python_class(std::string_view path);

}  // namespace taper::nn
