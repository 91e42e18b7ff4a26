// Access of optimizers to whole tensors in row-major order, without autograd.
#pragma once
#include "core/tensor_impl.h"

namespace taper::optimizer {

// Below this number of elements, a second thread costs more than it saves.
constexpr std::int64_t kGrain = 32768;

/// Returns the elements if they are stored in row-major order, otherwise null.
inline std::byte* row_major_data(const TensorImpl& t) {
  const Buffer& b = t.storage->buffer();
  if (!t.contiguous || b.channels_last) return nullptr;
  return b.data + t.byte_offset();
}

/// Records that the optimizer wrote to a tensor: increments its version and counts the write.
inline void record_write(const TensorImpl& t) {
  t.version().fetch_add(1, std::memory_order_relaxed);
  t.storage->count_write();
}

/// Increments the version of a tensor that only this optimizer writes, without an atomic
/// read-modify-write. Writes to state tensors are not counted, because they do not have a packed
/// form that depends on the count.
inline void record_exclusive_write(const TensorImpl& t) {
  std::atomic<std::uint32_t>& version = t.version();
  version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace taper::optimizer
