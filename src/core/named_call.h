// named_call: errors of a function that is composed of other functions name the function itself.
#pragma once
#include <string_view>
#include <utility>

#include "taper/core/error.h"

namespace taper {

/// Throws `error` with the name of the function at the beginning of its message replaced by
/// `function`. Messages of another form, and errors of modules, are thrown unchanged.
[[noreturn, gnu::cold]] void rethrow_as(std::string_view function, const Error& error);

/// Returns f(). Errors of the functions that it calls, as "mm: ...", name `function` instead.
template <class F> auto named_call(std::string_view function, F&& f) -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const Error& error) { rethrow_as(function, error); }
}

}  // namespace taper
