// Outcomes of a case other than success.
#pragma once
#include <stdexcept>
#include <string>

namespace taper::oracle {

/// The library lacks the layer, function or option `name`. The case is counted as skipped.
struct Unsupported : std::runtime_error {
  explicit Unsupported(const std::string& name) : std::runtime_error(name) {}
};

/// The case is malformed: an unknown field, kind or form of value. Counts as a failure.
struct MalformedCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace taper::oracle
