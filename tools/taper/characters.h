// Characters of UTF-8 on a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace taper::cli {

/// The first character of a text and its bytes; `code` is that byte where the text is damaged.
struct Character {
  char32_t code;
  std::size_t bytes;
  bool whole;
};
Character first_of(std::string_view text);

/// Whether a character is not seen where it stands, or moves or turns what is around it: control
/// characters, marks of direction, separators of lines, spaces without width.
bool is_hidden(char32_t code);
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
