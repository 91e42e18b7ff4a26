// Display width, shortening and wrapping of UTF-8 text on a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "io/text.h"

namespace taper::cli {

using taper::io::Character, taper::io::first_character;

/// Returns the number of terminal columns of a code point: 0 for combining marks, 2 for wide East
/// Asian characters and emoji, otherwise 1.
int columns_of(char32_t code);

/// Returns the number of terminal columns of the text.
std::size_t width_of(std::string_view text);
/// Shortens the text to at most `columns` columns by replacing its middle with "…".
std::string shortened(std::string_view text, std::size_t columns);
/// Breaks the text at spaces into lines of at most `columns - indent` columns. All lines but the
/// first are indented by `indent` spaces. Words that are longer than a line are not broken.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace taper::cli
