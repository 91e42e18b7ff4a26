// The storages that a pickle names, each once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor_impl.h"
#include "io/open_hash_index.h"

namespace taper::io {

/// A class of storages in Python: what they are called and the size of what they count.
struct StorageClass {
  std::string_view module, name;
  std::size_t element;
  std::string_view dtype;  ///< storages of different ones may not view the same memory
};
StorageClass storage_class_of(DType dtype);
/// Raw bytes.
StorageClass untyped_storage();

/// A storage as it goes into a file.
struct SavedStorage {
  Ref<Storage> storage;  ///< in the memory of the CPU
  StorageClass cls;
  std::size_t number;
  Device device;            ///< where it is
  std::int64_t count;       ///< elements of its class
  const Storage* original;  ///< there

  std::string key() const { return std::to_string(number); }
  std::span<const std::byte> bytes() const;
};

class SavedStorages {
 public:
  /// The storage of a tensor, taken over to the CPU if it is elsewhere. Throws RuntimeError if it
  /// was saved as elements of another dtype.
  const SavedStorage& add(const TensorImpl& t, const StorageClass& cls);
  const std::vector<SavedStorage>& all() const { return all_; }

 private:
  std::vector<SavedStorage> all_;
  OpenHashIndex numbers_, by_memory_;  // of storages, and of the first that lies somewhere
};

}  // namespace taper::io
