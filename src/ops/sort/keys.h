// Sort keys: unsigned integers that are ordered as the elements that they represent.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/kernel/slices.h"

namespace taper::sorting {

template <std::size_t Size> struct KeyOfSize;
template <> struct KeyOfSize<1> { using Type = std::uint8_t; };
template <> struct KeyOfSize<2> { using Type = std::uint16_t; };
template <> struct KeyOfSize<4> { using Type = std::uint32_t; };
template <> struct KeyOfSize<8> { using Type = std::uint64_t; };

/// The type of the keys of elements of type T.
template <class T> using KeyOf = typename KeyOfSize<sizeof(T)>::Type;

/// The bit that separates negative from positive elements. 0 if T is unsigned.
template <class T>
inline constexpr KeyOf<T> kKeySign = is_floating_element<T> || std::is_signed_v<T>
                                         ? static_cast<KeyOf<T>>(KeyOf<T>{1} << (8 * sizeof(T) - 1))
                                         : KeyOf<T>{};

/// The bits of positive infinity of a floating-point type.
template <class T> constexpr KeyOf<T> infinity_bits() {
  if constexpr (sizeof(T) == 8) return 0x7ff0'0000'0000'0000u;
  if constexpr (sizeof(T) == 4) return 0x7f80'0000u;
  return std::is_same_v<T, Half> ? 0x7c00u : 0x7f80u;
}

/// Returns the key of an element. NaN is greater than all numbers, and -0 is equal to 0.
template <class T> KeyOf<T> sort_key(T x) {
  using Key = KeyOf<T>;
  constexpr Key kSign = kKeySign<T>;
  if constexpr (is_floating_element<T>) {
    const Key bits = std::bit_cast<Key>(x), magnitude = static_cast<Key>(bits & ~kSign);
    const Key key = static_cast<Key>(bits & kSign ? ~bits : bits | kSign);
    if (magnitude > infinity_bits<T>()) return std::numeric_limits<Key>::max();
    return magnitude == 0 ? kSign : key;
  } else {
    return static_cast<Key>(static_cast<Key>(x) ^ kSign);
  }
}

/// Returns true if elements with different bits have this key: zeros and NaN.
template <class T> bool is_ambiguous_key(KeyOf<T> key) {
  return is_floating_element<T> &&
         (key == kKeySign<T> || key == std::numeric_limits<KeyOf<T>>::max());
}
/// Returns true if elements with this key are not equal to each other: NaN.
template <class T> bool is_nan_key(KeyOf<T> key) {
  return is_floating_element<T> && key == std::numeric_limits<KeyOf<T>>::max();
}

/// Returns the element with a key that is not ambiguous.
template <class T> T element_of_key(KeyOf<T> key) {
  using Key = KeyOf<T>;
  constexpr Key kSign = kKeySign<T>;
  if constexpr (is_floating_element<T>)
    return std::bit_cast<T>(static_cast<Key>(key & kSign ? key ^ kSign : ~key));
  else
    return static_cast<T>(static_cast<Key>(key ^ kSign));
}

/// Calls f(i, key) for i in [begin, end), where key is that of element i of a slice of elements of
/// type T.
template <class T, class F>
void for_each_key_of(const kernel::Slice1d& slice, std::int64_t begin, std::int64_t end, F&& f) {
  // A bool is read as a byte, which may have any value.
  using Read = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  const auto key = [](Read x) {
    if constexpr (std::is_same_v<T, bool>)
      return sort_key(x != 0);
    else
      return sort_key(x);
  };
  if (slice.step == static_cast<std::int64_t>(sizeof(T))) {
    const Read* const x = reinterpret_cast<const Read*>(slice.first);
    for (std::int64_t i = begin; i < end; ++i) f(i, key(x[i]));
  } else {
    const std::byte* at = slice.first + begin * slice.step;
    for (std::int64_t i = begin; i < end; ++i, at += slice.step)
      f(i, key(*reinterpret_cast<const Read*>(at)));
  }
}

/// Calls f(i, key) for the n elements of a slice.
template <class F> void for_each_key(const kernel::Slice1d& slice, std::int64_t n, F&& f) {
  visit_dtype(slice.dtype, [&]<class T>(T) { for_each_key_of<T>(slice, 0, n, f); });
}

}  // namespace taper::sorting
