// What the core needs of a device: memory and copies. The CPU is built in, other kinds come with a
// backend (src/backend). Kernels are found elsewhere (src/ops).
#pragma once
#include <cstddef>
#include <string_view>

#include "taper/core/device.h"
#include "taper/core/memory.h"

namespace taper {

struct DeviceOps {
  virtual ~DeviceOps() = default;
  virtual int device_count() = 0;
  virtual std::byte* allocate(int index, std::size_t bytes, std::size_t& capacity) = 0;
  virtual void release(int index, std::byte* block, std::size_t capacity) noexcept = 0;
  virtual void copy_from_host(int index, std::byte* to, const std::byte* from, std::size_t n) = 0;
  virtual void copy_to_host(int index, std::byte* to, const std::byte* from, std::size_t n) = 0;
  virtual void copy_within(int to_index, std::byte* to, int from_index, const std::byte* from,
                           std::size_t n) = 0;
  virtual void synchronize(int index) = 0;
  virtual memory::Stats stats(int index) = 0;
};

/// The ops of a kind; loads the backend of that kind when first asked. Throws DeviceError when
/// there is none or the index is beyond its devices.
DeviceOps& device_ops(Device device);
/// Whether this program has named devices of a kind, or they are built in.
bool is_known_kind(std::string_view name);
/// Called by the loader of backends, once per kind.
void register_device(int kind, DeviceOps* ops);
/// Set by the loader: tries to bring in the backend of a kind that is not registered.
void set_device_loader(void (*load)(std::string_view kind));

}  // namespace taper
