#include "io/text.h"

#include <algorithm>
#include <iterator>

#include "core/check.h"

namespace taper::io {
namespace {

struct CodeRange {
  char32_t first, last;
};

constexpr CodeRange kInvisibleRanges[] = {
    {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

bool is_invisible(char32_t code) {
  return std::any_of(std::begin(kInvisibleRanges), std::end(kInvisibleRanges),
                     [code](const CodeRange& r) { return r.first <= code && code <= r.last; });
}

/// Returns the length in bytes of the first character of `text`; 0 if `text` does not start with
/// valid UTF-8. If `surrogates` is true, a lone surrogate is a character.
std::size_t character(std::string_view text, bool surrogates) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = first == 0xf4 && second > 0x8f;
  const bool surrogate = first == 0xed && second > 0x9f;
  return too_long || beyond || (surrogate && !surrogates) ? 0 : size;
}

}  // namespace

bool is_utf8(std::string_view text, bool surrogates) {
  while (!text.empty()) {
    const std::size_t n = character(text, surrogates);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = character(text, false);
  if (size <= 1) return {first, 1, size == 1};
  char32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  return {code, size, true};
}

std::string escape_for_message(std::string_view text, std::size_t max, std::string_view ellipsis) {
  std::string out;
  for (std::size_t count = 0; !text.empty();) {
    if (count >= max) return out.append(ellipsis);
    const Character c = first_character(text);
    const auto code = static_cast<unsigned>(c.code);
    if (c.whole && !is_invisible(c.code)) {
      out += text.substr(0, c.bytes);
      ++count;
    } else {
      const std::string escape = code < 0x100     ? taper::format_message("\\x{:02x}", code)
                                 : code < 0x10000 ? taper::format_message("\\u{:04x}", code)
                                                  : taper::format_message("\\U{:08x}", code);
      out += escape;
      count += escape.size();
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string quote_json(std::string_view text) {
  constexpr std::string_view kShort = "\"\"\\\\\bb\ff\nn\rr\tt", kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const std::size_t i = kShort.find(c);
    if (i != std::string_view::npos && i % 2 == 0)
      out += '\\', out += kShort[i + 1];
    else if (static_cast<unsigned char>(c) < 0x20)
      out += "\\u00", out += kDigits[c >> 4 & 15], out += kDigits[c & 15];
    else
      out += c;
  }
  return out += '"';
}

}  // namespace taper::io
