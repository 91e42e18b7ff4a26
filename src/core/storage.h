// Storage: the memory of tensors. Activations [N, C, ...] of row-major tensors may be stored in
// channels-last order, which the kernels of convolutions require. The order is chosen when an op
// allocates its output. It changes at most once, to row-major, by publishing a second buffer; the
// first one remains valid for concurrent readers.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/object_pool.h"
#include "taper/core/device.h"
#include "taper/core/ref.h"
#include "taper/core/shape.h"

namespace taper {

struct Buffer {
  std::byte* data = nullptr;
  std::size_t capacity = 0;
  bool channels_last = false;
};

/// Owner of external memory (from_blob, mapped files), which is released with its last storage.
struct ExternalOwner : RefCounted {};

/// Cache entry of a storage: prepacked weights of one kernel, valid for one write count.
struct StorageCacheEntry : RefCounted {};

class Storage : public RefCounted {
 public:
  Storage(Device device, std::size_t bytes);
  /// Wraps external memory. `exposed` is true if the memory can be written through pointers that
  /// are not tracked.
  Storage(std::byte* data, std::size_t bytes, Device device, Ref<ExternalOwner> owner,
          bool exposed = true);
  ~Storage();
  static void* operator new(std::size_t n) { return pool_allocate(n); }
  static void operator delete(void* p, std::size_t n) { pool_release(p, n); }

  Device device() const { return device_; }
  std::size_t bytes() const { return bytes_; }

  /// Returns the current buffer in its physical order. Costs one acquire load.
  const Buffer& buffer() const { return *current_.load(std::memory_order_acquire); }
  /// Returns the row-major buffer, converting from channels-last on first use.
  const Buffer& row_major_buffer();
  /// Returns the row-major buffer and marks the storage as exposed: writes through the pointer are
  /// not counted, so that nothing is cached for this storage any longer.
  const Buffer& expose() {
    exposed_.store(true, std::memory_order_relaxed);
    return row_major_buffer();
  }
  /// Moves the elements of a CPU storage into memory that forked processes share. As for in-place
  /// writes, concurrent reads are not allowed. Pointers obtained earlier refer to the previous
  /// memory.
  void share_memory();
  /// Enlarges the memory to `bytes` and preserves the elements. Requires the conditions of
  /// share_memory, and that the buffer is row-major. Throws RuntimeError for external and for
  /// shared memory.
  void grow(std::size_t bytes);
  bool exposed() const { return exposed_.load(std::memory_order_relaxed); }

  /// Sets the order of a newly allocated buffer to channels-last with the sizes [n, c, spatial].
  /// `element` is the size of an element in bytes. Does nothing if c or spatial is 1, since the two
  /// orders are then the same.
  void set_channels_last(std::int64_t n, std::int64_t c, std::int64_t spatial, std::size_t element);
  /// Maps logical strides and offset (in elements) to those of the channels-last buffer: `physical`
  /// and `start`. Returns false if a dimension of the view combines channels and positions, so that
  /// no stride represents it.
  bool map_channels_last(const Shape& shape, const Shape& strides, std::int64_t offset,
                         Shape& physical, std::int64_t& start) const;
  /// Return the sizes N and C of the channels-last order.
  std::int64_t order_n() const { return n_; }
  std::int64_t order_c() const { return c_; }

  std::atomic<std::uint32_t> version{0};  ///< version counter, incremented by in-place ops

  void count_write() { writes_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t writes() const { return writes_.load(std::memory_order_relaxed); }
  /// Returns the cache entry for `key` if no write was counted since and the storage is not
  /// exposed, otherwise null.
  Ref<StorageCacheEntry> cached(std::uint64_t key);
  /// Caches an entry computed from the data at write count `writes`. Does nothing if the storage is
  /// exposed.
  void set_cached(std::uint64_t key, std::uint64_t writes, Ref<StorageCacheEntry> entry);

 private:
  void release(const Buffer& buffer);
  struct CacheSlot {
    std::uint64_t key, writes;
    Ref<StorageCacheEntry> entry;
  };
  Device device_;
  std::atomic<bool> exposed_{false};
  std::uint8_t element_size_ = 0;
  std::size_t bytes_;
  Buffer initial_, row_major_, shared_;
  std::atomic<const Buffer*> current_{&initial_};
  std::int64_t n_ = 0, c_ = 0, spatial_ = 0;
  std::atomic<std::uint64_t> writes_{0};
  Ref<ExternalOwner> owner_;
  std::vector<CacheSlot>* cache_ = nullptr;
};

namespace counters {
inline std::atomic<std::uint64_t> activation_reorders{0}, weight_packings{0};
}

}  // namespace taper
