// Validation and escaping of text from untrusted files.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace taper::io {

/// Returns true if `text` is well-formed UTF-8. If `surrogates` is true, lone surrogates are
/// accepted, as in Python strings.
bool is_utf8(std::string_view text, bool surrogates = false);
/// Maximum number of characters of the reason in a LoadError.
inline constexpr std::size_t kMaxReasonLength = 600;
/// Returns text from a file, escaped for messages and terminals: control characters and invalid
/// UTF-8 become sequences such as \x1b, invisible and bidirectional control characters such as
/// \u202e. Output longer than about `max` characters is cut and followed by `ellipsis`; an escape
/// sequence is never split.
std::string escape_for_message(std::string_view text, std::size_t max = 120,
                               std::string_view ellipsis = "...");
/// Returns UTF-8 text as a JSON string, escaped as in serde_json.
std::string quote_json(std::string_view text);

/// A UTF-8 character or an invalid byte.
struct Character {
  char32_t code;      ///< the code point, or the byte
  std::size_t bytes;  ///< length in the text
  bool whole;         ///< false if the UTF-8 is invalid
};
/// Returns the first character of a nonempty text.
Character first_character(std::string_view text);

}  // namespace taper::io
