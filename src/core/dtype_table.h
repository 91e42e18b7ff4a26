// Names of the element types in PyTorch and in files, and dispatch on the element type.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "taper/core/dtype.h"

namespace taper {

/// Names of one element type. A name is empty if the format does not support the type.
struct DTypeNames {
  std::string_view brief;        ///< "f32"
  std::string_view torch;        ///< "float32"
  std::string_view alias;        ///< PyTorch's other name: "float"
  std::string_view scalar;       ///< name of PyTorch's ScalarType: "Float"
  std::string_view c_type;       ///< C++ type in PyTorch's messages: "long int"
  std::string_view storage;      ///< class of typed storages in checkpoints: "FloatStorage"
  std::string_view safetensors;  ///< "F32"
  std::string_view npy;          ///< type string of NumPy without byte order: "f4"
};

namespace detail {
inline constexpr std::array<DTypeNames, kDTypeCount> kNamesOfDTypes = {{
#define TAPER_DTYPE(id, type, name, scalar, c_type, alias, storage, safetensors, npy) \
  {without_underscore(#id),                                                           \
   without_underscore(#name),                                                         \
   alias,                                                                             \
   #scalar,                                                                           \
   c_type,                                                                            \
   storage,                                                                           \
   #safetensors,                                                                      \
   npy},
#include "taper/core/dtypes.inc"
}};
}  // namespace detail

constexpr const DTypeNames& names_of(DType t) {
  return detail::kNamesOfDTypes[static_cast<std::size_t>(t)];
}

/// Returns the dtype whose name of the given `kind` is `name`, as in
/// find_dtype(&DTypeNames::safetensors, "F32"); nullopt if no dtype has this name.
constexpr std::optional<DType> find_dtype(std::string_view DTypeNames::*kind,
                                          std::string_view name) {
  for (std::size_t i = 0; !name.empty() && i < detail::kNamesOfDTypes.size(); ++i)
    if (detail::kNamesOfDTypes[i].*kind == name) return static_cast<DType>(i);
  return {};
}

/// True for uint16, uint32 and uint64. PyTorch: c10::isBarebonesUnsignedType.
constexpr bool is_barebones_unsigned(DType t) { return t >= DType::u16 && t <= DType::u64; }

/// True for f16 and bf16. PyTorch: c10::isReducedFloatingType.
constexpr bool is_reduced_floating_point(DType t) { return t == DType::f16 || t == DType::bf16; }

/// True for double, float, Half and BFloat16.
template <class T> inline constexpr bool is_floating_element = is_floating_point(dtype_of<T>);
/// True for Half and BFloat16, which have no arithmetic.
template <class T> inline constexpr bool is_narrow_float = is_floating_element<T> && sizeof(T) == 2;

/// Returns f(T{}), where T is the C++ type of the elements of `dtype`.
template <class F> decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
// clang-format off
#define TAPER_DTYPE(id, type, ...) case DType::id: return f(type{});
#include "taper/core/dtypes.inc"
    // clang-format on
  }
  return f(bool{});
}

}  // namespace taper
