// error_text, error_message: the text of the error that a call throws.
#pragma once
#include <string>
#include <utility>

#include "taper/core/error.h"

namespace taper::test {

/// Calls `f` and returns `what()` of the `E` that it throws; an empty string if it returns. Other
/// exceptions propagate.
template <class E = Error, class F> std::string error_text(F&& f) {
  try {
    static_cast<void>(std::forward<F>(f)());
  } catch (const E& e) { return e.what(); }
  return {};
}

/// As `error_text`, without the path of the module that threw.
template <class E = Error, class F> std::string error_message(F&& f) {
  try {
    static_cast<void>(std::forward<F>(f)());
  } catch (const E& e) { return e.message(); }
  return {};
}

}  // namespace taper::test
