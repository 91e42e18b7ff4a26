// Storages as tensors of one dimension, without a way through the ops.
#pragma once
#include <utility>

#include "core/tensor_impl.h"

namespace taper::io {

/// `count` elements of a storage from element `offset` on.
inline Tensor flat_tensor(Ref<Storage> storage, std::int64_t count, DType dtype,
                          std::int64_t offset = 0) {
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), {count}, {1}, offset, dtype)));
}

/// The storage itself, or a copy of it in the memory of the cpu.
inline Ref<Storage> on_cpu(Ref<Storage> storage) {
  if (storage->device().is_cpu()) return storage;
  const auto bytes = static_cast<std::int64_t>(storage->bytes());
  return impl(flat_tensor(std::move(storage), bytes, DType::u8).cpu()).storage;
}

}  // namespace taper::io
