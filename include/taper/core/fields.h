// TAPER_OPTIONS: names of the fields of an options struct.
#pragma once
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace detail {

/// Returns the next name of a list "a, b" and advances `list` past it.
constexpr std::string_view next_name(const char*& list) {
  while (*list == ' ' || *list == ',') ++list;
  const char* const begin = list;
  while (*list && *list != ',') ++list;
  return {begin, static_cast<std::size_t>(list - begin)};
}
constexpr std::size_t count_of_names(const char* list) {
  std::size_t count = 0;
  while (!next_name(list).empty()) ++count;
  return count;
}
template <class F, class... T>
void visit_named(F& f, [[maybe_unused]] const char* names, T&... values) {
  (f(next_name(names), values), ...);
}

/// Options struct whose fields are listed by TAPER_OPTIONS.
template <class O>
concept ListedOptions = std::is_aggregate_v<O> && requires {
  O::taper_field_names;
};

}  // namespace detail
}  // namespace taper

/// Lists the fields of an options struct in the order of PyTorch's arguments, at the end of the
/// struct. Type-erased calls then accept the fields by position and by name.
#define TAPER_OPTIONS(...)                                           \
  static constexpr const char* taper_field_names = #__VA_ARGS__;     \
  template <class TaperF> void taper_visit(TaperF&& f) {             \
    ::taper::detail::visit_named(f, taper_field_names, __VA_ARGS__); \
  }                                                                  \
  template <class TaperF> void taper_visit(TaperF&& f) const {       \
    ::taper::detail::visit_named(f, taper_field_names, __VA_ARGS__); \
  }
