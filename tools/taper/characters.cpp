#include "characters.h"

#include <algorithm>
#include <array>

namespace taper::cli {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array kMarks = {
    Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},   Range{0x64b, 0x65f},
    Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x20d0, 0x20f0}, Range{0x302a, 0x302d},
    Range{0x3099, 0x309a}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0xe0100, 0xe01ef},
};
constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},
    Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},
    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
    Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd},
};

template <class Ranges> bool is_in(const Ranges& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return r.first <= code && code <= r.last; });
}

}  // namespace

int columns_of(char32_t code) {
  if (code < 0x300) return 1;
  return is_in(kMarks, code) ? 0 : is_in(kWide, code) ? 2 : 1;
}

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    columns += static_cast<std::size_t>(columns_of(c.code));
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  if (columns < 2) return columns ? "…" : "";
  const std::size_t end = (columns - 1) / 2, begin = columns - 1 - end;
  std::size_t head = 0, used = 0;
  while (head < text.size()) {
    const Character c = first_character(text.substr(head));
    used += static_cast<std::size_t>(columns_of(c.code));
    if (used > begin) break;
    head += c.bytes;
  }
  std::size_t tail = head;
  for (std::size_t left = width_of(text.substr(head)); left > end;) {
    const Character c = first_character(text.substr(tail));
    left -= static_cast<std::size_t>(columns_of(c.code));
    tail += c.bytes;
  }
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  const std::size_t available = columns > indent ? columns - indent : 1;
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = width_of(word);
    if (used && used + 1 + width > available) {
      out += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (!out.empty()) {
      out += ' ', ++used;
    }
    out += word, used += width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace taper::cli
