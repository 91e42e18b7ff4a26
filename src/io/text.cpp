#include "io/text.h"

namespace taper::io {
namespace {

/// Bytes of the character that the text starts with; 0 if there is none.
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

std::string shown(std::string_view text, std::size_t max) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    if (out.size() > max) return out + "...";
    std::size_t n = character(text, false);
    const auto first = static_cast<unsigned char>(text[0]);
    if (n == 0 || first < 0x20 || first == 0x7f) {
      out += {'\\', 'x', digits[first >> 4], digits[first & 15]};
      n = 1;
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n);
  }
  return out;
}

}  // namespace taper::io
