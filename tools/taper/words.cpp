#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text.h"

namespace command {

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(n), what, n == 1 ? "" : "s");
}

std::string dimensions(const taper::Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

std::string short_number(double value) {
  if (value == 0) return "0";
  return fmt::format("{:.4g}", value);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++shown) {
    if (shown == most) return out + "…";
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    const bool control =
        c < 0x20 || c == 0x7f ||
        (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    const bool whole = i + n <= text.size() && taper::io::is_utf8(text.substr(i, n));
    if (control || !whole) {
      if (!whole) n = 1;
      for (const char byte : text.substr(i, n))
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      out += text.substr(i, n);
    }
    i += n;
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string bar(double share, int columns) {
  constexpr std::array kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/', path.size() > 1 ? path.size() - 2 : 0);
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace command
