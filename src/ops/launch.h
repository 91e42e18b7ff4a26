// Kernel selection: the kernel of the device, otherwise the reference kernel.
#pragma once
#include "ops/op.h"

namespace taper {

void launch(Device device, const OpDescriptor& table, const void* attributes,
            const KernelArgs& args);
/// Runs an op on a device other than the CPU. Set by the loader of backends.
using BackendLaunch = void (*)(Device, const OpDescriptor&, const void* attributes,
                               const KernelArgs&);
void set_backend_launch(BackendLaunch launch);
/// Restricts this thread to reference kernels within a scope. Used by tests that compare kernels.
struct ReferenceOnly {
  ReferenceOnly();
  ~ReferenceOnly();
  bool outer;
};

}  // namespace taper
