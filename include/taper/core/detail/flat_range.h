// Ranges of numbers, and of such ranges, that tensor(values) copies.
#pragma once
#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace detail {

template <class R>
concept SizedRange = requires(const R& r) {
  std::begin(r);
  std::end(r);
  std::size(r);
};
template <class R> using ElementOf =
    std::remove_cvref_t<decltype(*std::begin(std::declval<const R&>()))>;

/// The type of the numbers in a range, or in the ranges that it contains; R itself for a number.
template <class R> struct Leaf { using Type = R; };
template <SizedRange R> struct Leaf<R> : Leaf<ElementOf<R>> {};
template <> struct Leaf<std::vector<bool>> { using Type = bool; };

template <class T> inline constexpr bool kHasDType = false;
#define TAPER_DTYPE(id, type, ...) template <> inline constexpr bool kHasDType<type> = true;
#include "taper/core/dtypes.inc"

/// The element type that represents the numbers of a range: that of equal size for `long long`.
/// void if there is none.
template <class R, class T = typename Leaf<R>::Type> using StoredNumber =
    std::conditional_t<kHasDType<T>, T,
                       std::conditional_t<std::same_as<T, long long>, std::int64_t,
                                          std::conditional_t<std::same_as<T, unsigned long long>,
                                                             std::uint64_t, void>>>;

template <class R>
concept FlattenableRange = SizedRange<R> && !std::derived_from<R, Tensor>;

/// Throws ValueError, as tensor({{1, 2}, {3}}).
[[noreturn]] void throw_ragged(std::int64_t expected, std::size_t dim, std::int64_t got);

/// The numbers of a range and of the ranges that it contains, and their shape.
template <class T> struct FlatRange {
  Shape shape{};
  std::size_t count = 0;
  std::unique_ptr<T[]> values{};

  template <class R> explicit FlatRange(const R& range) {
    measure(range);
    values = std::make_unique<T[]>(static_cast<std::size_t>(shape.numel()));
    append(range, 0);
  }

 private:
  template <class R> void measure(const R& range) {
    shape.push_back(static_cast<std::int64_t>(std::size(range)));
    if constexpr (SizedRange<ElementOf<R>>)
      if (std::size(range) > 0) measure(*std::begin(range));
  }
  template <class R> void append(const R& range, std::size_t dim) {
    const auto size = static_cast<std::int64_t>(std::size(range));
    if (size != shape[dim]) throw_ragged(shape[dim], dim, size);
    if constexpr (SizedRange<ElementOf<R>>) {
      for (const auto& item : range) append(item, dim + 1);
    } else {
      for (const auto item : range) values[count++] = static_cast<T>(item);
    }
  }
};

}  // namespace detail
}  // namespace taper
