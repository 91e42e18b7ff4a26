// How element types are called in the descriptions of files.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/dtype.h"

namespace taper::oracle {

/// "f32" of float32.
std::string_view short_name(DType dtype);
/// "f8_e4m3fn" of "float8_e4m3fn" or "torch.float8_e4m3fn"; the text itself if it is no dtype.
std::string short_name(std::string_view name);
/// All that a message may call the dtype of a short name: "complex64", "C64",
/// "ComplexFloatStorage".
std::vector<std::string> names_of_dtype(const std::string& short_name);
/// Whether Taper has it.
bool is_foreign(const std::string& short_name);

}  // namespace taper::oracle
