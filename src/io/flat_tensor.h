// One-dimensional tensors over storages, created without calling an op.
#pragma once
#include <utility>

#include "core/tensor_impl.h"

namespace taper::io {

/// Returns a tensor of shape (count) over the elements of a storage that start at element `offset`.
inline Tensor flat_tensor(Ref<Storage> storage, std::int64_t count, DType dtype,
                          std::int64_t offset = 0) {
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), {count}, {1}, offset, dtype)));
}

/// Returns `storage` if it is on the CPU, otherwise a copy of it on the CPU.
inline Ref<Storage> on_cpu(Ref<Storage> storage) {
  if (storage->device().is_cpu()) return storage;
  const auto bytes = static_cast<std::int64_t>(storage->bytes());
  return impl(flat_tensor(std::move(storage), bytes, DType::u8).cpu()).storage;
}

}  // namespace taper::io
