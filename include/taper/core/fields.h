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

#define TAPER_DETAIL_PARENTHESES ()
#define TAPER_DETAIL_EXPAND(...) \
  TAPER_DETAIL_EXPAND3(TAPER_DETAIL_EXPAND3(TAPER_DETAIL_EXPAND3(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND3(...) \
  TAPER_DETAIL_EXPAND2(TAPER_DETAIL_EXPAND2(TAPER_DETAIL_EXPAND2(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND2(...) \
  TAPER_DETAIL_EXPAND1(TAPER_DETAIL_EXPAND1(TAPER_DETAIL_EXPAND1(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND1(...) __VA_ARGS__
// `, prefix name` for each of the names.
#define TAPER_DETAIL_PREFIXED(prefix, ...) \
  __VA_OPT__(TAPER_DETAIL_EXPAND(TAPER_DETAIL_PREFIX(prefix, __VA_ARGS__)))
#define TAPER_DETAIL_PREFIX(prefix, name, ...) \
  , prefix name __VA_OPT__(TAPER_DETAIL_PREFIX_AGAIN TAPER_DETAIL_PARENTHESES(prefix, __VA_ARGS__))
#define TAPER_DETAIL_PREFIX_AGAIN() TAPER_DETAIL_PREFIX

/// Lists the fields of an options struct in the order of PyTorch's arguments, at the end of the
/// struct. Type-erased calls then accept the fields by position and by name. `taper_visit(self, f)`
/// calls `f(name, self.name)` for each; `self` are the options, or an object with members of these
/// names.
#define TAPER_OPTIONS(...)                                                                        \
  static constexpr const char* taper_field_names = #__VA_ARGS__;                                  \
  template <class TaperSelf, class TaperF> static void taper_visit(TaperSelf& self, TaperF&& f) { \
    ::taper::detail::visit_named(f, taper_field_names TAPER_DETAIL_PREFIXED(self., __VA_ARGS__)); \
  }
