// Kernel selection: the kernel of the device, otherwise the reference kernel.
#pragma once
#include "ops/op.h"

namespace taper {

/// Runs the kernel of an op on a device. Throws DeviceError if no backend for the device is loaded.
void launch(Device device, const OpDescriptor& descriptor, const void* attributes,
            const KernelArgs& args);
/// As launch, for an output whose elements share memory. On the CPU, the reference kernel writes
/// them in order.
void launch_in_order(Device device, const OpDescriptor& descriptor, const void* attributes,
                     const KernelArgs& args);
/// Function that runs an op on a device other than the CPU. Set by the loader of backends.
using BackendLaunch = void (*)(Device, const OpDescriptor&, const void* attributes,
                               const KernelArgs&);
void set_backend_launch(BackendLaunch launch);

/// RAII guard that replaces the selection of CPU kernels on this thread, so that tests can observe
/// kernels. If guards are nested, only the innermost one is called.
class LaunchOverride {
 public:
  LaunchOverride();
  LaunchOverride(const LaunchOverride&) = delete;
  LaunchOverride& operator=(const LaunchOverride&) = delete;
  virtual ~LaunchOverride();
  virtual void launch(const OpDescriptor& descriptor, const void* attributes,
                      const KernelArgs& args) = 0;

 private:
  LaunchOverride* outer_;
};
/// RAII guard that restricts this thread to reference kernels, for tests that compare kernels.
class ReferenceOnly final : public LaunchOverride {
  void launch(const OpDescriptor& descriptor, const void* attributes,
              const KernelArgs& args) override {
    descriptor.reference_kernel(attributes, args);
  }
};

}  // namespace taper
