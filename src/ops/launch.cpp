#include "ops/launch.h"

#include <atomic>

namespace taper {
namespace {
std::atomic<BackendLaunch> backend{nullptr};
constinit thread_local LaunchOverride* launch_override = nullptr;
}  // namespace

void launch(Device device, const OpDescriptor& descriptor, const void* attributes,
            const KernelArgs& args) {
  if (!device.is_cpu()) [[unlikely]] {
    const BackendLaunch f = backend.load(std::memory_order_acquire);
    if (!f)
      fail<DeviceError>("{}: no backend for device {} is loaded", descriptor.info.function(),
                        device);
    return f(device, descriptor, attributes, args);
  }
  if (launch_override) [[unlikely]]
    return launch_override->launch(descriptor, attributes, args);
  if (descriptor.cpu_kernel && (descriptor.cpu_kernel(attributes, args) ||
                                run_on_row_major(descriptor.cpu_kernel, attributes, args)))
    return;
  descriptor.reference_kernel(attributes, args);
}

void launch_in_order(Device device, const OpDescriptor& descriptor, const void* attributes,
                     const KernelArgs& args) {
  if (device.is_cpu()) return descriptor.reference_kernel(attributes, args);
  launch(device, descriptor, attributes, args);
}

void set_backend_launch(BackendLaunch launch) { backend.store(launch, std::memory_order_release); }

LaunchOverride::LaunchOverride() : outer_(launch_override) { launch_override = this; }
LaunchOverride::~LaunchOverride() { launch_override = outer_; }

}  // namespace taper
