#include "target.h"

#include "cpu/simd/targets.h"
// This header must follow targets.h, which selects the targets that Highway compiles.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <stdexcept>

namespace taper::oracle {

void select_target(const std::string& name) {
  std::string supported;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
    supported += std::string(supported.empty() ? "" : ", ") + hwy::TargetName(target);
  }
  throw std::invalid_argument("--target: expected one of " + supported + ", got " + name);
}

}  // namespace taper::oracle
