#include "core/device_ops.h"

#include <array>
#include <atomic>
#include <cstring>

#include "core/check.h"
#include "core/cpu_allocator.h"
#include "core/thread_local_state.h"

namespace taper {
namespace {

struct CpuOps final : DeviceOps {
  int device_count() override { return 1; }
  std::byte* allocate(int, std::size_t bytes, std::size_t& capacity) override {
    return cpu_allocator::allocate(bytes, capacity);
  }
  void release(int, std::byte* block, std::size_t capacity) noexcept override {
    cpu_allocator::release(block, capacity);
  }
  void copy_from_host(int, std::byte* to, const std::byte* from, std::size_t n) override {
    std::memcpy(to, from, n);
  }
  void copy_to_host(int, std::byte* to, const std::byte* from, std::size_t n) override {
    std::memcpy(to, from, n);
  }
  void copy_within(int, std::byte* to, int, const std::byte* from, std::size_t n) override {
    std::memcpy(to, from, n);
  }
  void synchronize(int) override {}
  memory::Stats stats(int) override { return cpu_allocator::stats(); }
};

constexpr int kMaxKinds = 64;
std::array<std::atomic<DeviceOps*>, kMaxKinds> registered_ops{};
std::atomic<void (*)(std::string_view)> device_loader{nullptr};
CpuOps cpu_ops;

}  // namespace

DeviceOps& device_ops(Device device) {
  if (device.is_cpu()) return cpu_ops;
  const int kind = device.kind();
  DeviceOps* ops = nullptr;
  if (kind < kMaxKinds && !device.is_meta()) {
    auto& slot = registered_ops[static_cast<std::size_t>(kind)];
    ops = slot.load(std::memory_order_acquire);
    if (!ops) {
      if (auto load = device_loader.load()) load(device.type());
      ops = slot.load(std::memory_order_acquire);
    }
  }
  if (!ops)
    fail<DeviceError>("device {}: no backend for '{}' is loaded (built-in devices: cpu, meta)",
                      device, device.type());
  if (device.index() >= ops->device_count())
    fail<DeviceError>("device {}: invalid device index: got {}, expected less than {}", device,
                      device.index(), ops->device_count());
  return *ops;
}

void register_device(int kind, DeviceOps* ops) {
  if (kind < 0 || kind >= kMaxKinds)
    fail<DeviceError>("device: too many device types: expected at most {}", kMaxKinds);
  registered_ops[static_cast<std::size_t>(kind)].store(ops, std::memory_order_release);
}

void set_device_loader(void (*load)(std::string_view)) { device_loader.store(load); }

namespace memory {
Stats stats(Device device) { return device_ops(device).stats(device.index()); }
void reset_peak(Device device) {
  if (device.is_cpu()) cpu_allocator::reset_peak();
}
void empty_cache(Device device) {
  if (device.is_cpu()) cpu_allocator::empty_cache();
}
void set_limit(std::size_t bytes, Device device) {
  if (!device.is_cpu())
    fail<DeviceError>("memory::set_limit: not implemented for this device: got {}, expected cpu",
                      device);
  cpu_allocator::set_limit(bytes);
}
}  // namespace memory

Device get_default_device() { return tls.default_device; }
void set_default_device(Device device) {
  if (!device.is_meta()) static_cast<void>(device_ops(device));
  tls.default_device = device;
}

}  // namespace taper
