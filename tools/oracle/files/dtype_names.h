// Names of dtypes in the descriptions of files.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/dtype.h"

namespace taper::oracle {

/// Returns the short name of a dtype: "f32" for float32.
std::string_view short_name(DType dtype);
/// Returns "f8_e4m3fn" for "float8_e4m3fn" or "torch.float8_e4m3fn", and other text unchanged.
std::string short_name(std::string_view name);
/// Returns all names by which a message may refer to the dtype of a short name: "complex64", "C64",
/// "ComplexFloatStorage".
std::vector<std::string> names_of_dtype(const std::string& short_name);
/// Returns true if Taper does not support the dtype.
bool is_foreign(const std::string& short_name);

}  // namespace taper::oracle
