// How running a case can end, other than by passing.
#pragma once
#include <stdexcept>
#include <string>

namespace taper::oracle {

/// The library has no such layer, function or option yet: the case is skipped under this name.
struct Missing : std::runtime_error {
  explicit Missing(const std::string& name) : std::runtime_error(name) {}
};

/// The case itself cannot be understood: an unknown field, kind or form of value. A failure.
struct BadCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace taper::oracle
