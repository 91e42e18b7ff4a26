// Glob patterns: matching of names, and renaming with the text that each star matched.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace taper {

/// Returns true if `pattern` matches all of `text`. `*` matches any text, `?` one character,
/// `[a-c]` one character of the set, `[!a-c]` and `[^a-c]` one character outside of the set. A `[`
/// without a `]` matches itself. The number of matching steps is at most proportional to the
/// product of the lengths.
bool glob_matches(std::string_view pattern, std::string_view text);

/// Returns `to` with each `*` replaced by the text that the `*` of the same index in `from`
/// matches, or nullopt if `from` does not match all of `text`. Each `*`, from left to right,
/// matches as little text as possible.
std::optional<std::string> glob_replace(std::string_view text, std::string_view from,
                                        std::string_view to);

}  // namespace taper
