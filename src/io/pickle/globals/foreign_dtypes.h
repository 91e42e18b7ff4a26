// Names and sizes of PyTorch dtypes that the library does not support.
#pragma once
#include <string_view>

namespace taper::io {

struct ForeignDType {
  std::string_view name;         ///< name in module torch: "float8_e4m3fn"
  int bits;                      ///< bits per element
  std::string_view storage;      ///< storage class: "ComplexFloatStorage"; empty if absent
  std::string_view safetensors;  ///< name in safetensors: "F8_E4M3"; empty if absent
};

/// These functions return the dtype with the given name in module torch, name of a storage class or
/// name in safetensors; null if the name is unknown.
const ForeignDType* foreign_dtype(std::string_view name);
const ForeignDType* foreign_dtype_of_storage(std::string_view class_name);
const ForeignDType* foreign_dtype_of_safetensors(std::string_view name);

}  // namespace taper::io
