// GuardedLaunch: runs kernels on poisoned outputs with guard zones.
#pragma once
#include <cstddef>

#include "ops/launch.h"

namespace taper::optest {

/// RAII guard under which every kernel of this thread writes to copies of its outputs, which have
/// the same strides. Before the kernel runs, the elements of a new output are filled with the
/// poison byte, and all other bytes of the copy, on both sides and between the elements, with a
/// guard pattern. Afterwards, a changed guard byte or a bool that is neither 0 nor 1 is a test
/// failure. So is any change by a CPU kernel that rejects the call.
class GuardedLaunch final : public LaunchOverride {
 public:
  enum class Kernels { all, reference };
  /// Byte pattern of elements before the kernel runs. In floating-point types, `nan` is a NaN and
  /// `number` is not, so that an element that a kernel does not write differs between the two.
  enum class Poison : unsigned char { nan = 0xff, number = 0xa5 };
  explicit GuardedLaunch(Kernels kernels = Kernels::all, Poison poison = Poison::nan)
      : kernels_(kernels), poison_(static_cast<std::byte>(poison)) {}

  void launch(const OpDescriptor& table, const void* attributes, const KernelArgs& args) override;
  /// Returns the number of calls that the CPU kernel of the op accepted.
  int num_accepted() const { return num_accepted_; }

 private:
  Kernels kernels_;
  std::byte poison_;
  int num_accepted_ = 0;
};

}  // namespace taper::optest
