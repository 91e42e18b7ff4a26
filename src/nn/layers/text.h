// How arguments of layers print, and what they are in Python.
#pragma once
#include <string>

#include "taper/core/scalar.h"
#include "taper/core/shape.h"
#include "taper/core/value.h"

namespace taper::nn {

inline std::string python_text(bool v) { return v ? "True" : "False"; }
inline std::string python_text(double v) { return python_repr(v); }
/// "(3, 3)", "(3,)".
std::string tuple_text(const Shape& sizes);
/// One number as such, several as a tuple: how arguments print that may be either.
std::string sizes_text(const Shape& sizes);
/// The same as the value that Python keeps.
Value sizes_value(const Shape& sizes);
Value tuple_value(const Shape& sizes);

}  // namespace taper::nn
