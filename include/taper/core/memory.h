// Memory statistics and control of the caching allocators.
#pragma once
#include <cstddef>
#include <cstdint>

#include "taper/core/api.h"
#include "taper/core/device.h"

namespace TAPER_API taper {
class Tensor;
}

namespace TAPER_API taper {
namespace memory {

/// Statistics of the caching allocator of one device. Sizes are in bytes.
/// PyTorch: torch.cuda.memory_stats.
struct Stats {
  std::size_t allocated = 0;      ///< used by storages
  std::size_t peak = 0;           ///< maximum of `allocated` since the start or reset_peak
  std::size_t reserved = 0;       ///< obtained from the system: allocated or cached
  std::uint64_t allocations = 0;  ///< number of allocations
  /// Number of allocations that were not served from the cache.
  std::uint64_t system_allocations = 0;
};
/// Returns the statistics of a device.
Stats stats(Device device = Device::cpu());
/// Resets `peak` to the current value of `allocated`.
void reset_peak(Device device = Device::cpu());
/// Releases all unused cached blocks to the operating system. PyTorch: torch.cuda.empty_cache.
void empty_cache(Device device = Device::cpu());
/// Limits `allocated`; 0 removes the limit. Allocations that would exceed it throw
/// OutOfMemoryError.
void set_limit(std::size_t bytes, Device device = Device::cpu());

/// Moves the storage of a CPU tensor to memory that is shared with forked processes. Tensors that
/// share the storage are included; previously obtained pointers refer to the old memory.
/// PyTorch: torch.Tensor.share_memory_.
void share(const Tensor& t);

/// Number of conversions of the physical layout of data (see docs/design).
struct Reorders {
  std::uint64_t activations = 0;  ///< activations copied to another physical layout
  std::uint64_t weights = 0;      ///< weights prepacked for a kernel
};
/// Returns the numbers since the start or reset_reorders.
Reorders reorders();
/// Resets the numbers to zero.
void reset_reorders();

}  // namespace memory
}  // namespace taper
