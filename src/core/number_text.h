// Text forms of bools and integers that several printers share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace taper {

/// Returns the printed form of a bool in Python.
constexpr const char* bool_text(bool value) { return value ? "True" : "False"; }

/// Returns `n` with commas between groups of three digits: "431,080" for 431080.
inline std::string with_commas(std::int64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3 + std::size_t{n < 0}; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace taper
