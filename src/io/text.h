// Text from a file that nobody vouches for.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace taper::io {

/// Well-formed UTF-8. `surrogates`: lone surrogates count as characters, as in Python's texts.
bool is_utf8(std::string_view text, bool surrogates = false);
/// Of what is wrong with a file.
inline constexpr std::size_t kLongestReason = 600;
/// Returns the text of a file as it may appear in a message or on a terminal: control characters
/// and invalid UTF-8 as \x1b, characters that are invisible or change the direction of the line as
/// \u202e; `max` characters of output, give or take the last escape, then `ellipsis`.
std::string shown(std::string_view text, std::size_t max = 120, std::string_view ellipsis = "...");

/// A character of UTF-8, or a byte that is not part of one.
struct Character {
  char32_t code;      ///< the code point, or the byte
  std::size_t bytes;  ///< in the text
  bool whole;         ///< false: invalid UTF-8
};
/// Returns the first character of a text that is not empty.
Character first_character(std::string_view text);

}  // namespace taper::io
