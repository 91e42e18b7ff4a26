// What the preloaded library does to the system calls of the program.
#pragma once

namespace taper::test {

enum class Fault {
  none,
  no_space,     ///< ENOSPC
  broken,       ///< EIO
  interrupted,  ///< EINTR
  cut,          ///< writes take one byte only
  killed        ///< SIGKILL; calls count twice, for before and after
};

/// From now on the n-th call, counting from 1, meets the fault. Gives how many calls there were
/// since the last time.
using ArmFaults = int (*)(Fault fault, int n);
inline constexpr const char* kArmFaults = "taper_test_arm_faults";

}  // namespace taper::test
