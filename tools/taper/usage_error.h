// UsageError: an invalid command line.
#pragma once
#include <stdexcept>

namespace taper::cli {

/// Error in the command line. Its exit status is 2; that of other errors is 1.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace taper::cli
