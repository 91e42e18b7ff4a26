// What the demo was told.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/value.h"

namespace demo {

/// What a run is determined by: kept in its checkpoint.
struct Settings {
  double lr = 0.05, momentum = 0.9, weight_decay = 5e-4;
  std::int64_t epochs = 20, batch = 64, seed = 0;

  taper::Value to_value() const;
  /// Throws taper::Error for a value that is no dict of settings.
  static Settings from_value(const taper::Value& value);
};

struct CommandLine {
  Settings settings{};
  std::optional<std::int64_t> epochs{};  ///< as given: a resumed run may go on for longer
  std::optional<int> threads{};
  std::string data, output = "out";
  bool resume = false;
};

/// Reads the command line; on a wrong one (or --help) prints and gives the exit status in `status`.
std::optional<CommandLine> parse(int argc, const char* const* argv, int& status);

}  // namespace demo
