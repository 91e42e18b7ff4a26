// DTypeSet: set of element types, with which ops declare the dtypes that they support.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "taper/core/dtype.h"

namespace taper {

/// Set of dtypes. The named sets list their members, so that every op rejects a dtype that is added
/// to DType until a set includes it.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> members) {
    for (const DType t : members) bits_ |= bit(t);
  }
  constexpr bool contains(DType t) const { return (bits_ & bit(t)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;

  static const DTypeSet floating;
  static const DTypeSet full_precision;  ///< floating-point types of at least 32 bits
  static const DTypeSet integral;        ///< integer types without bool
  static const DTypeSet no_bool;         ///< `floating` and `integral`
  static const DTypeSet all;             ///< `no_bool` and bool
  /// uint16, uint32 and uint64, which few ops support, as in PyTorch.
  static const DTypeSet barebones_unsigned;
  static const DTypeSet every;  ///< `all` and `barebones_unsigned`

 private:
  static_assert(kDTypeCount <= 32);
  static constexpr std::uint32_t bit(DType t) { return std::uint32_t{1} << static_cast<int>(t); }
  std::uint32_t bits_ = 0;
};

inline constexpr DTypeSet DTypeSet::full_precision{DType::f64, DType::f32};
inline constexpr DTypeSet DTypeSet::floating =
    DTypeSet::full_precision | DTypeSet{DType::f16, DType::bf16};
inline constexpr DTypeSet DTypeSet::integral{DType::i64, DType::i32, DType::i16, DType::i8,
                                             DType::u8};
inline constexpr DTypeSet DTypeSet::no_bool = DTypeSet::floating | DTypeSet::integral;
inline constexpr DTypeSet DTypeSet::all = DTypeSet::no_bool | DTypeSet{DType::bool_};
inline constexpr DTypeSet DTypeSet::barebones_unsigned{DType::u16, DType::u32, DType::u64};
inline constexpr DTypeSet DTypeSet::every = DTypeSet::all | DTypeSet::barebones_unsigned;

}  // namespace taper
