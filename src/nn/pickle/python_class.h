// Names that classes of users have in Python.
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace taper::nn {

/// Empty for a class without one.
std::string python_name_of(const std::type_info& type);
/// Null for a name that no class has.
const std::type_info* class_of_python(std::string_view path);

}  // namespace taper::nn
