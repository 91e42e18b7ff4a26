#include "characters.h"

#include <algorithm>
#include <array>

#include "io/text.h"

namespace taper::cli {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array kHidden = {
    Range{0, 0x1f},        Range{0x7f, 0x9f},     Range{0xad, 0xad},       Range{0x61c, 0x61c},
    Range{0x180e, 0x180e}, Range{0x200b, 0x200f}, Range{0x2028, 0x202e},   Range{0x2060, 0x206f},
    Range{0xfeff, 0xfeff}, Range{0xfff9, 0xfffb}, Range{0xe0000, 0xe007f},
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

Character first_of(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) return {c, 1, true};
  const std::size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (n > text.size() || !taper::io::is_utf8(text.substr(0, n))) return {c, 1, false};
  char32_t code = c & (0x7fu >> n);
  for (std::size_t i = 1; i < n; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  return {code, n, true};
}

bool is_hidden(char32_t code) { return is_in(kHidden, code); }

int columns_of(char32_t code) {
  if (code < 0x300) return 1;
  return is_in(kMarks, code) ? 0 : is_in(kWide, code) ? 2 : 1;
}

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character c = first_of(text);
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
    const Character c = first_of(text.substr(head));
    used += static_cast<std::size_t>(columns_of(c.code));
    if (used > begin) break;
    head += c.bytes;
  }
  std::size_t tail = head;
  for (std::size_t left = width_of(text.substr(head)); left > end;) {
    const Character c = first_of(text.substr(tail));
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
