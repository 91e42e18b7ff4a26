// Tensors as optimizers touch them: whole, in row-major order, outside of autograd.
#pragma once
#include "core/tensor_impl.h"

namespace taper::optimizer {

// Below this many elements a second thread costs more than it saves.
constexpr std::int64_t kGrain = 32768;

/// The elements, if they lie in row-major order; null otherwise.
inline std::byte* elements(const TensorImpl& t) {
  const Buffer& b = t.storage->buffer();
  if (!t.contiguous || b.channels_last) return nullptr;
  return b.data + t.offset * static_cast<std::int64_t>(size_of(t.dtype));
}

inline void written(const TensorImpl& t) {
  t.version().fetch_add(1, std::memory_order_relaxed);
  t.storage->count_write();
}

}  // namespace taper::optimizer
