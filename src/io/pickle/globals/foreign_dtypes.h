// Dtypes of PyTorch that the library has not: their names and sizes.
#pragma once
#include <string_view>

namespace taper::io {

struct ForeignDType {
  std::string_view name;         ///< in module torch: "float8_e4m3fn"
  int bits;                      ///< of an element
  std::string_view storage;      ///< "ComplexFloatStorage"; empty if there is no such class
  std::string_view safetensors;  ///< "F8_E4M3"; empty if the format has it not
};

/// Null for a name that is not known.
const ForeignDType* foreign_dtype(std::string_view name);
const ForeignDType* foreign_dtype_of_storage(std::string_view class_name);
const ForeignDType* foreign_dtype_of_safetensors(std::string_view name);

}  // namespace taper::io
