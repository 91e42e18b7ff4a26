// Variables: reads and validates environment variables.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "dist/launch/launch.h"

namespace taper::distributed {

/// Value of a variable that contains a number.
struct NumberVariable {
  const char* name;
  int value;
};

class Variables {
 public:
  explicit Variables(ReadVariable read) : read_(read) {}

  /// Returns true if the variable is set and not empty.
  bool is_set(const char* name) const;
  std::string text(const char* name, const char* fallback) const;
  /// Returns the first variable that is set; null names are skipped. Throws ValueError if its value
  /// is not a number that is not negative.
  std::optional<NumberVariable> number(const std::array<const char*, 3>& names) const;
  /// Throws ValueError if the value is not a port.
  std::optional<int> port(const char* name) const;

 private:
  ReadVariable read_;
};

}  // namespace taper::distributed
