// Characters of UTF-8 on a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "io/text.h"

namespace taper::cli {

using taper::io::Character, taper::io::first_character;

/// 0 for marks that are set on the character before, 2 for those of East Asia and pictures.
int columns_of(char32_t code);

/// Columns that the text takes.
std::size_t width_of(std::string_view text);
/// No more than so many columns, with … in the middle for what was left out.
std::string shortened(std::string_view text, std::size_t columns);
/// Lines of no more than so many columns, broken at spaces; all but the first begin with `indent`
/// spaces, for which there is room on each. A word that is longer stays whole.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace taper::cli
