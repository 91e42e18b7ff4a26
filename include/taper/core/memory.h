// What the caching allocators hold, and how often data changed its physical order.
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

/// Figures of one device's caching allocator, in bytes and counts. PyTorch:
/// torch.cuda.memory_stats.
struct Stats {
  std::size_t allocated = 0;             ///< held by live storages
  std::size_t peak = 0;                  ///< the most that was held since start or reset_peak
  std::size_t reserved = 0;              ///< taken from the system: held or kept for reuse
  std::uint64_t allocations = 0;         ///< requests served
  std::uint64_t system_allocations = 0;  ///< requests that had to ask the system
};
Stats stats(Device device = Device::cpu());
void reset_peak(Device device = Device::cpu());
/// Gives blocks kept for reuse back to the system.
void empty_cache(Device device = Device::cpu());
/// Refuses requests that would take `allocated` beyond this (0: no limit), with OutOfMemoryError.
void set_limit(std::size_t bytes, Device device = Device::cpu());

/// Moves the elements of a CPU tensor, and of all that look at them, into memory that forked
/// processes share. Pointers from before look at the old place. PyTorch: Tensor.share_memory_.
void share(const Tensor& t);

/// Work spent on the hidden physical order of data (see docs/design).
struct Reorders {
  std::uint64_t activations = 0;  ///< activations that were copied into another physical order
  std::uint64_t weights = 0;      ///< weights packed for a kernel
};
Reorders reorders();
void reset_reorders();

}  // namespace memory
}  // namespace taper
