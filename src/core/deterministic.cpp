#include "taper/core/deterministic.h"

#include <array>
#include <atomic>

#include "core/check.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

std::atomic<int> debug_mode{0};
std::atomic<std::size_t> matmul_precision{0};

constexpr std::array<std::string_view, 3> kModes{"default", "warn", "error"};
constexpr std::array<std::string_view, 3> kPrecisions{"highest", "high", "medium"};

}  // namespace

void use_deterministic_algorithms(bool mode, bool warn_only) {
  debug_mode = !mode ? 0 : warn_only ? 1 : 2;
}
bool are_deterministic_algorithms_enabled() { return debug_mode != 0; }
bool is_deterministic_algorithms_warn_only_enabled() { return debug_mode == 1; }

void set_deterministic_debug_mode(int mode) {
  if (mode < 0 || mode > 2)
    fail<ValueError>(
        "set_deterministic_debug_mode: invalid value of debug_mode, expected 0, 1, or 2, but got "
        "{}",
        mode);
  debug_mode = mode;
}
void set_deterministic_debug_mode(std::string_view mode) {
  for (std::size_t i = 0; i < kModes.size(); ++i)
    if (kModes[i] == mode) return set_deterministic_debug_mode(static_cast<int>(i));
  fail<ValueError>(
      "set_deterministic_debug_mode: invalid value of debug_mode, expected one of `default`, "
      "`warn`, `error`, but got {}",
      mode);
}
int get_deterministic_debug_mode() { return debug_mode; }

void set_float32_matmul_precision(std::string_view precision) {
  for (std::size_t i = 0; i < kPrecisions.size(); ++i)
    if (kPrecisions[i] == precision) {
      matmul_precision = i;
      return;
    }
  warn(std::string(precision) +
       " is not one of 'highest', 'high', or 'medium'; the current set_float32_matmul_precision "
       "call has no effect.");
}
std::string get_float32_matmul_precision() { return std::string(kPrecisions[matmul_precision]); }

}  // namespace taper
