// DeviceOps: memory management and copies for a device type. The CPU is built in; a backend
// (src/backend) provides any other type.
#pragma once
#include <cstddef>
#include <string_view>

#include "taper/core/device.h"
#include "taper/core/memory.h"

namespace taper {

struct DeviceOps {
  virtual int device_count() = 0;
  virtual std::byte* allocate(int index, std::size_t bytes, std::size_t& capacity) = 0;
  virtual void release(int index, std::byte* block, std::size_t capacity) noexcept = 0;
  virtual void copy_from_host(int index, std::byte* to, const std::byte* from, std::size_t n) = 0;
  virtual void copy_to_host(int index, std::byte* to, const std::byte* from, std::size_t n) = 0;
  virtual void copy_within(int to_index, std::byte* to, int from_index, const std::byte* from,
                           std::size_t n) = 0;
  virtual void synchronize(int index) = 0;
  virtual memory::Stats stats(int index) = 0;

 protected:
  ~DeviceOps() = default;  // objects are never destroyed
};

/// Returns the operations of a device. Loads the backend of its type on first use. Throws
/// DeviceError if no backend exists or the index is out of range.
DeviceOps& device_ops(Device device);
/// Returns true for "cpu", "meta" and "cuda", and for each type of which a Device was constructed.
bool is_known_kind(std::string_view name);
/// Registers `ops`, which must remain valid, for a device type. Called by the backend loader once
/// per type. Throws DeviceError if there are too many types.
void register_device(int kind, DeviceOps* ops);
/// Sets the function that `device_ops` calls to load the backend of an unregistered device type.
void set_device_loader(void (*load)(std::string_view kind));

}  // namespace taper
