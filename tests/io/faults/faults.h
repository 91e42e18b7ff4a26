// System call faults that the preloaded library injects.
#pragma once

namespace taper::test {

enum class Fault {
  none,
  no_space,     ///< ENOSPC
  broken,       ///< EIO
  interrupted,  ///< EINTR
  cut,          ///< a write writes one byte only
  killed        ///< SIGKILL; each call has two points, before and after it
};

/// Injects the fault into the n-th call from now on, counting from 1. Returns the number of calls
/// since the previous use.
using ArmFaults = int (*)(Fault fault, int n);
inline constexpr const char* kArmFaults = "taper_test_arm_faults";

}  // namespace taper::test
