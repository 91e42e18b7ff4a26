// Text from a file that nobody vouches for.
#pragma once
#include <string>
#include <string_view>

namespace taper::io {

/// Well-formed UTF-8. `surrogates`: lone surrogates count as characters, as in Python's texts.
bool is_utf8(std::string_view text, bool surrogates = false);
/// Of what is wrong with a file.
inline constexpr std::size_t kLongestReason = 600;
/// The text fit for a message: cut short, control characters and damaged bytes as \x1f.
std::string shown(std::string_view text, std::size_t max = 120);

}  // namespace taper::io
