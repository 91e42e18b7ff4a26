// The storages that a pickle refers to, without duplicates.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor_impl.h"
#include "io/open_hash_index.h"

namespace taper::io {

/// A storage class in Python: its name and the size of the elements it counts.
struct StorageClass {
  std::string_view module, name;
  std::size_t element;
  std::string_view dtype;  ///< storages of different dtypes must not view the same memory
};
StorageClass storage_class_of(DType dtype);
/// Returns the class of storages of raw bytes.
StorageClass untyped_storage();

/// A storage to be written to a file.
struct SavedStorage {
  Ref<Storage> storage;  ///< the storage or its copy, in CPU memory
  StorageClass cls;
  std::size_t number;
  Device device;            ///< device of the original
  std::int64_t count;       ///< number of elements, each of `cls.element` bytes
  const Storage* original;  ///< the storage of the tensors, on `device`

  std::string key() const { return std::to_string(number); }
  std::span<const std::byte> bytes() const;
};

class SavedStorages {
 public:
  /// Returns the entry of a tensor's storage, copying the storage to the CPU if needed. Throws
  /// RuntimeError if this storage, or one with the same memory, was added with another dtype.
  const SavedStorage& add(const TensorImpl& t, const StorageClass& cls);
  const std::vector<SavedStorage>& all() const { return all_; }

 private:
  std::vector<SavedStorage> all_;
  OpenHashIndex index_by_storage_,
      index_by_data_;  // indices into all_ by original and by address of the data
};

}  // namespace taper::io
