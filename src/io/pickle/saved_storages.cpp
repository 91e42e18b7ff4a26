#include "io/pickle/saved_storages.h"

#include <functional>

#include "core/check.h"
#include "io/flat_tensor.h"
#include "io/pickle/globals/storage_class.h"

namespace taper::io {

StorageClass storage_class_of(DType dtype) {
  return {"torch", storage_class(dtype), size_of(dtype), name_of(dtype)};
}
StorageClass untyped_storage() {
  return {"torch.storage", "UntypedStorage", 1, name_of(DType::u8)};
}
std::span<const std::byte> SavedStorage::bytes() const {
  return {storage->row_major_buffer().data, static_cast<std::size_t>(count) * cls.element};
}

const SavedStorage& SavedStorages::add(const TensorImpl& t, const StorageClass& cls) {
  const std::hash<const void*> hash;
  const auto reject = [&](const SavedStorage& other) {
    fail<RuntimeError>(
        "Cannot save multiple tensors or storages that view the same data as different types: {} "
        "and {}",
        other.cls.dtype, cls.dtype);
  };
  const Storage* const original = t.storage.get();
  const std::uint32_t known = index_by_storage_.find(
      hash(original), [&](std::uint32_t i) { return all_[i].original == original; });
  if (known != OpenHashIndex::kNone) {
    if (all_[known].cls.dtype != cls.dtype) reject(all_[known]);
    return all_[known];
  }
  const Device device = t.device();
  Ref<Storage> storage = on_cpu(t.storage);
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (const std::byte* const data = storage->row_major_buffer().data) {
    const std::uint32_t first = index_by_data_.find(hash(data), [&](std::uint32_t i) {
      return all_[i].storage->row_major_buffer().data == data;
    });
    if (first == OpenHashIndex::kNone)
      index_by_data_.add(hash(data), number);
    else if (all_[first].cls.dtype != cls.dtype)
      reject(all_[first]);
  }
  index_by_storage_.add(hash(original), number);
  const auto count = static_cast<std::int64_t>(storage->bytes() / cls.element);
  all_.push_back({std::move(storage), cls, number, device, count, original});
  return all_.back();
}

}  // namespace taper::io
