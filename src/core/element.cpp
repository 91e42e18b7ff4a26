#include "core/element.h"

namespace taper {

Element read_element(const View& view, std::int64_t at) {
  const std::byte* p = view.data + at * static_cast<std::int64_t>(size_of(view.dtype));
  return visit_dtype(view.dtype, [p](auto type) -> Element {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, bool>) {
      return {.integer = *p != std::byte{0}, .is_integer = true};
    } else {
      T value;
      std::memcpy(&value, p, sizeof value);
      if constexpr (std::is_integral_v<T>)
        return {.integer = static_cast<std::int64_t>(value),
                .is_integer = true,
                .is_large_uint64 = std::is_unsigned_v<T> && static_cast<std::int64_t>(value) < 0};
      else
        return {.floating = element_cast<double>(value)};
    }
  });
}

}  // namespace taper
