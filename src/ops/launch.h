// Which kernel runs: the device's own, else the reference kernel.
#pragma once
#include "ops/op.h"

namespace taper {

void launch(Device device, const OpTable& table, const void* attributes, const KernelArgs& args);
/// Set by the loader of backends: runs an op on a device that is not the CPU.
using PluggedLaunch = void (*)(Device, const OpTable&, const void* attributes, const KernelArgs&);
void set_plugged_launch(PluggedLaunch launch);
/// Runs reference kernels only, for a scope of this thread: what tests compare kernels with.
struct ReferenceOnly {
  ReferenceOnly();
  ~ReferenceOnly();
  bool outer;
};

}  // namespace taper
