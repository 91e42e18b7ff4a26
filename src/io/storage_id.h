// Persistent ids: how a pickle names the storages beside it.
#pragma once
#include <string>

#include "taper/core/dtype.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/io/load.h"

namespace taper::io {

/// ('storage', class, key, location, number of elements), and in old files a sixth part: a view.
struct StorageId {
  DType dtype;
  std::string key, location;
  std::int64_t count;

  /// Throws ValueError unless `id` is a tuple of `parts` parts as above.
  static StorageId read(const Value& id, std::size_t parts);
  /// Throws ValueError unless another id of the same key says the same.
  void check_same(const Tensor& storage) const;
  /// The elements where they belong. Throws ValueError for a place that is not there.
  Tensor place(const Tensor& flat, const LoadOptions& options) const;
};

}  // namespace taper::io
