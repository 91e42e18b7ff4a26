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

/// Successful system call recorded by the preloaded library.
struct TracedCall {
  enum Kind { open, write, flush, rename } kind;
  int fd;          ///< unset for rename
  char path[512];  ///< of open; of rename, the former path
};

/// Starts recording calls into the array `calls` of `capacity` elements, until the next call of
/// this function. Returns the number of calls since its previous call, which may exceed the
/// capacity.
using TraceCalls = int (*)(TracedCall* calls, int capacity);
inline constexpr const char* kTraceCalls = "taper_test_trace_calls";

}  // namespace taper::test
