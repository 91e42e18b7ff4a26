#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "taper/train/progress_bar.h"

namespace taper::train {

std::string format_duration(double seconds) {
  constexpr double kMaxSeconds = 1e9;
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) return "?";
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  if (s >= 3600) return format_message("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return format_message("{}:{:02}", s / 60, s % 60);
}

std::string progress_text(const Progress& p, int width, bool with_bar) {
  const std::string head = p.description.empty() ? "" : p.description + " ";
  std::string tail = with_bar && p.total > 0 ? " " : "";
  if (p.total > 0)
    tail += format_message("{:>{}}/{}", p.step, std::to_string(p.total).size(), p.total);
  else
    tail += std::to_string(p.step);
  for (const auto& [name, value] : p.fields) tail += "  " + name + " " + value;
  if (p.samples_per_second > 0)
    tail += format_message("  {:>6.0f} samples/s", p.samples_per_second);
  if (p.total > 0) tail += "  " + format_duration(p.seconds_left) + " left";

  constexpr int kMaxBar = 30, kMinBar = 5;
  const int available =
      std::clamp(width - static_cast<int>(head.size() + tail.size()) - 3, 0, kMaxBar);
  std::string bar;
  if (with_bar && p.total > 0 && available >= kMinBar) {
    const double share =
        std::clamp(static_cast<double>(p.step) / static_cast<double>(p.total), 0.0, 1.0);
    const auto done = static_cast<std::size_t>(share * available);
    bar = "[" + std::string(done, '=') +
          std::string(static_cast<std::size_t>(available) - done, ' ') + "]";
  }
  std::string line = head + bar + tail;
  auto size = std::min(line.size(), static_cast<std::size_t>(std::max(0, width - 1)));
  // A character of several bytes is not split.
  while (size > 0 && size < line.size() && (line[size] & 0xc0) == 0x80) --size;
  line.resize(size);
  return line;
}

}  // namespace taper::train
