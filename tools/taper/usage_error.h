// A command that was typed wrongly.
#pragma once
#include <stdexcept>

namespace taper::cli {

/// Ends the program with status 2; everything else that goes wrong ends it with 1.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace taper::cli
