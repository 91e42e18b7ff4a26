// Names of C++ classes, for messages.
#pragma once
#include <string>
#include <typeinfo>

namespace taper::nn {

/// Returns the name of a class with its namespaces: "taper::nn::Linear".
std::string class_name(const std::type_info& type);

}  // namespace taper::nn
