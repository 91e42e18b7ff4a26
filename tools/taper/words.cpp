#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text.h"

namespace taper::cli {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_count(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(n), what, n == 1 ? "" : "s");
}

std::string format_shape(const taper::Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

std::string format_number(double value) {
  if (value == 0) return "0";
  if (std::isnan(value)) return "nan";  // fmt would print a sign
  return fmt::format("{:.4g}", value);
}

std::string printable(std::string_view text, std::size_t max) {
  return taper::io::escape_for_message(text, max, "…");
}

std::string draw_bar(double share, int columns) {
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

}  // namespace taper::cli
