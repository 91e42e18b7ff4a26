#include "cpu/capability.h"

#include "cpu/simd/targets.h"
// These headers must follow targets.h, which selects the targets that Highway compiles.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <string>

#include "taper/core/cpu_capability.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

constexpr std::int64_t kAvx512 = HWY_AVX3 | HWY_AVX3_DL;

/// Returns the targets that TAPER_CPU_CAPABILITY excludes.
std::int64_t read_excluded_targets() {
  const char* const value = std::getenv("TAPER_CPU_CAPABILITY");
  const std::string_view limit = value ? value : "";
  if (limit == "avx2") return kAvx512;
  if (limit == "default") return kAvx512 | HWY_AVX2;
  if (!limit.empty() && limit != "avx512")
    warn("TAPER_CPU_CAPABILITY: expected avx512, avx2 or default, got '" + std::string(limit) +
         "'; ignored");
  return 0;
}

std::int64_t excluded_targets() {
  static const std::int64_t targets = read_excluded_targets();
  return targets;
}

}  // namespace

bool cpu::apply_capability_limit() {
  if (is_capability_limited()) hwy::DisableTargets(excluded_targets());
  return is_capability_limited();
}

bool cpu::is_capability_limited() { return excluded_targets() != 0; }

std::string_view get_cpu_capability() {
  const std::int64_t targets = hwy::SupportedTargets();
  if (targets & kAvx512) return "AVX512";
  return targets & HWY_AVX2 ? "AVX2" : "DEFAULT";
}

}  // namespace taper
