// DType: element type of a tensor.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Element type of a tensor. The enumerators are listed in taper/core/dtypes.inc. As in PyTorch,
/// support for uint16, uint32 and uint64 is limited: their tensors can be created, converted,
/// viewed and indexed, but few ops compute with them, and they are promoted with floating-point
/// types only. PyTorch: torch.float64, float32, float16, bfloat16, int64, int32, int16, int8,
/// uint8, bool, uint16, uint32, uint64.
enum class DType : std::uint8_t {
#define TAPER_DTYPE(id, ...) id,
#include "taper/core/dtypes.inc"
};

// Constants with PyTorch's names of the types: float64, float32, ..., bool_.
#define TAPER_DTYPE(id, type, name, ...) inline constexpr DType name = DType::id;
#include "taper/core/dtypes.inc"

/// IEEE 754 binary16. Arithmetic is performed in float. Conversion rounds to nearest, ties to even.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

/// Upper half of an IEEE 754 binary32 (bfloat16). Conversion rounds to nearest, ties to even, and
/// preserves NaN.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    const auto u = std::bit_cast<std::uint32_t>(value);
    bits = (u & 0x7fffffffu) > 0x7f800000u
               ? std::uint16_t{0x7fc0}
               : static_cast<std::uint16_t>((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

namespace detail {
inline constexpr std::uint8_t kElementSizes[] = {
#define TAPER_DTYPE(id, type, ...) sizeof(type),
#include "taper/core/dtypes.inc"
};
/// Returns `name` without a trailing underscore, which distinguishes `bool_` from the keyword.
constexpr std::string_view without_underscore(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}
}  // namespace detail

inline constexpr int kDTypeCount = static_cast<int>(sizeof(detail::kElementSizes));

/// Returns the size of an element in bytes.
constexpr std::size_t size_of(DType t) { return detail::kElementSizes[static_cast<int>(t)]; }
/// Returns true for f64, f32, f16 and bf16.
constexpr bool is_floating_point(DType t) { return t <= DType::bf16; }
/// Returns true for the integer types, excluding bool.
constexpr bool is_integral(DType t) { return t > DType::bf16 && t != DType::bool_; }

/// Returns true for floating-point and signed integer types. PyTorch: torch.dtype.is_signed.
constexpr bool is_signed(DType t) { return t <= DType::i8; }
/// Returns true if type promotion permits to store results of dtype `from` in a tensor of dtype
/// `to`: floating-point types are not converted to integers, and only bool is converted to bool.
/// PyTorch: torch.can_cast.
constexpr bool can_cast(DType from, DType to) {
  return to == DType::bool_ ? from == to : !is_floating_point(from) || is_floating_point(to);
}

/// Returns the name in PyTorch, without "torch.": "float32".
constexpr std::string_view name_of(DType t) {
  constexpr std::string_view names[] = {
#define TAPER_DTYPE(id, type, name, ...) detail::without_underscore(#name),
#include "taper/core/dtypes.inc"
  };
  return names[static_cast<int>(t)];
}

/// Returns the result dtype of a binary operation on tensors of dtypes `a` and `b`. Throws
/// DTypeError if one of them is uint16, uint32 or uint64 and the other is a different type that is
/// not a floating-point type.
/// PyTorch: torch.promote_types.
DType promote_types(DType a, DType b);

/// Returns, or sets, the dtype of floating-point factories and of floating-point scalars; f32 by
/// default. Throws DTypeError for a dtype that is not a floating-point type.
/// PyTorch: torch.get_default_dtype, torch.set_default_dtype.
DType default_dtype();
void set_default_dtype(DType t);

/// DType of a C++ type: dtype_of<float> is DType::f32.
template <class T> struct DTypeOf;
#define TAPER_DTYPE(id, type, ...) \
  template <> struct DTypeOf<type> { static constexpr DType value = DType::id; };
#include "taper/core/dtypes.inc"
template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace taper
