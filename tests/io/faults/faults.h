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

/// Name of the function that injects a fault into the n-th system call from now on, counting
/// from 1. Returns the number of calls since its previous use.
using ArmFaults = int (*)(Fault fault, int n);
inline constexpr const char* kArmFaults = "taper_test_arm_faults";

/// Successful system call recorded by the preloaded library.
struct TracedCall {
  enum Kind { open, write, flush, rename } kind;
  int fd;          ///< descriptor; unset for rename
  char path[512];  ///< path that was opened or renamed
};

/// Name of the function that records successful system calls in `calls`, an array of `capacity`
/// elements, until its next use; a null array stops recording. Returns the number of system calls
/// since its previous use, which may exceed the capacity of that use.
using TraceCalls = int (*)(TracedCall* calls, int capacity);
inline constexpr const char* kTraceCalls = "taper_test_trace_calls";

}  // namespace taper::test
