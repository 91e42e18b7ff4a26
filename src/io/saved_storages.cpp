#include "io/saved_storages.h"

#include "core/check.h"
#include "io/storage_class.h"

namespace taper::io {

StorageClass storage_class_of(DType dtype) {
  return {"torch", storage_class(dtype), size_of(dtype), name_of(dtype)};
}
StorageClass untyped_storage() {
  return {"torch.storage", "UntypedStorage", 1, name_of(DType::u8)};
}
StorageClass quantized_storage(DType dtype) {
  switch (dtype) {
    case DType::i8: return {"torch", "QInt8Storage", 1, "qint8"};
    case DType::i32: return {"torch", "QInt32Storage", 4, "qint32"};
    default: return {"torch", "QUInt8Storage", 1, "quint8"};
  }
}

std::span<const std::byte> SavedStorage::bytes() const {
  return {storage->plain().data, static_cast<std::size_t>(count) * cls.element};
}

const SavedStorage& SavedStorages::add(const TensorImpl& t, const StorageClass& cls) {
  const auto [found, fresh] = numbers_.try_emplace(t.storage.get(), all_.size());
  if (fresh) {
    const Device device = t.device();
    const auto count = static_cast<std::int64_t>(t.storage->bytes() / cls.element);
    Ref<Storage> storage = t.storage;
    if (!device.is_cpu()) {
      const auto bytes = static_cast<std::int64_t>(t.storage->bytes());
      const Tensor flat(
          Ref<TensorImpl>::adopt(new TensorImpl(t.storage, {bytes}, {1}, 0, DType::u8)));
      storage = impl(flat.cpu()).storage;
    }
    all_.push_back({storage, cls, std::to_string(all_.size()), device.str(), count});
  }
  const SavedStorage& saved = all_[found->second];
  const std::byte* const data = saved.storage->plain().data;
  const std::string_view dtype =
      data ? dtypes_.try_emplace(data, cls.dtype).first->second : saved.cls.dtype;
  if (dtype != cls.dtype) {
    if (fresh) all_.pop_back(), numbers_.erase(t.storage.get());
    fail<RuntimeError>(
        "Cannot save multiple tensors or storages that view the same data as different types: {} "
        "and {}",
        dtype, cls.dtype);
  }
  return saved;
}

}  // namespace taper::io
