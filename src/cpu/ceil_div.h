#pragma once
#include <cstdint>

namespace taper::cpu {

/// Returns a / b, rounded up, for a >= 0 and b > 0.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

}  // namespace taper::cpu
