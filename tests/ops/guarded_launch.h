// Runs kernels on outputs that are poisoned and surrounded by guard zones.
#pragma once
#include <cstddef>

#include "ops/launch.h"

namespace taper::optest {

/// While it exists, every kernel of this thread writes into a copy of its outputs with the same
/// strides. Before the kernel runs, the elements of a new output hold the poison byte and all other
/// bytes of the copy, on both sides and between the elements, a guard pattern. Afterwards, a
/// changed guard byte or a bool that is neither 0 nor 1 is a test failure.
class GuardedLaunch final : public LaunchOverride {
 public:
  enum class Kernels { all, reference };
  /// All bits set is a NaN in floating-point types; the other one is a number, so that no element
  /// that a kernel left out is equal under both.
  enum class Poison : unsigned char { nan = 0xff, number = 0xa5 };
  explicit GuardedLaunch(Kernels kernels = Kernels::all, Poison poison = Poison::nan)
      : kernels_(kernels), poison_(static_cast<std::byte>(poison)) {}

  void launch(const OpDescriptor& table, const void* attributes, const KernelArgs& args) override;
  /// Number of calls that were computed by the CPU kernel of the op.
  int accepted() const { return accepted_; }

 private:
  Kernels kernels_;
  std::byte poison_;
  int accepted_ = 0;
};

}  // namespace taper::optest
