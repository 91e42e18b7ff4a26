// for_each_target: runs a check for each instruction set that the machine supports and the kernels
// were compiled for.
#pragma once
#include <gtest/gtest.h>

#include "cpu/simd/targets.h"
// This header must follow targets.h, which selects the targets that Highway compiles.
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace taper::test {

template <class F> void for_each_target(F&& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace taper::test
