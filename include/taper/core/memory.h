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
  std::size_t allocated = 0;      ///< in use by storages
  std::size_t peak = 0;           ///< maximum of `allocated` since the start or reset_peak
  std::size_t reserved = 0;       ///< obtained from the system, in use or cached
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
/// Limits `Stats::allocated` to `bytes`; 0 removes the limit. Allocations that would exceed the
/// limit throw OutOfMemoryError.
void set_limit(std::size_t bytes, Device device = Device::cpu());

/// Moves the storage of a CPU tensor to memory that is shared with forked processes. Tensors that
/// share the storage are included; previously obtained pointers refer to the old memory.
/// PyTorch: torch.Tensor.share_memory_.
void share(const Tensor& t);

/// Numbers of conversions of the physical layout of data (see docs/design).
struct Reorders {
  std::uint64_t activations = 0;  ///< copies of activations to another physical layout
  std::uint64_t weights = 0;      ///< preparations of weights for a kernel
};
/// Returns the numbers of conversions since the start of the process or the last reset_reorders.
Reorders reorders();
/// Resets the numbers of conversions to zero.
void reset_reorders();

}  // namespace memory
}  // namespace taper
