// Printed and Python forms of layer arguments.
#pragma once
#include <string>

#include "core/number_text.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"
#include "taper/core/value.h"

namespace taper::nn {

inline std::string python_text(bool v) { return bool_text(v); }
inline std::string python_text(double v) { return python_repr(v); }
/// Formats sizes as "(3, 3)" or "(3,)".
std::string tuple_text(const Shape& sizes);
/// Formats one size as a number, several sizes as a tuple: for arguments that may be either.
std::string sizes_text(const Shape& sizes);
/// Returns one size as an int, several sizes as a tuple: the value that Python stores.
Value sizes_value(const Shape& sizes);
Value tuple_value(const Shape& sizes);

}  // namespace taper::nn
