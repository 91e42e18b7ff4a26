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

}  // namespace

bool cpu::apply_capability_limit() {
  const char* const value = std::getenv("TAPER_CPU_CAPABILITY");
  const std::string_view limit = value ? value : "";
  if (limit == "avx2")
    hwy::DisableTargets(kAvx512);
  else if (limit == "default")
    hwy::DisableTargets(kAvx512 | HWY_AVX2);
  else if (!limit.empty() && limit != "avx512")
    warn("TAPER_CPU_CAPABILITY: expected avx512, avx2 or default, got '" + std::string(limit) +
         "'; ignored");
  return true;
}

std::string_view get_cpu_capability() {
  const std::int64_t targets = hwy::SupportedTargets();
  if (targets & kAvx512) return "AVX512";
  return targets & HWY_AVX2 ? "AVX2" : "DEFAULT";
}

}  // namespace taper
