// Glob patterns over names, with replacement of what their stars match.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace taper {

/// Returns true if `pattern` matches all of `text`: `*` matches any characters, `?` one, `[a-c]`
/// one of a set, `[!a-c]` one outside of it; a `[` that is not closed matches itself. Takes time
/// proportional to the product of the lengths at most.
bool glob_matches(std::string_view pattern, std::string_view text);

/// Returns `to` with each `*` replaced by the text that the `*` of the same index in `from`
/// matches; none if `from` does not match all of `text`. From the left, each star matches as little
/// as possible.
std::optional<std::string> glob_renamed(std::string_view text, std::string_view from,
                                        std::string_view to);

}  // namespace taper
