// Persistent ids: how a pickle names the storages beside it.
#pragma once
#include <string>

#include "io/pickle/globals/foreign_dtypes.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/io/load.h"

namespace taper::io {

/// ('storage', class, key, location, number of elements), and in old files a sixth part: a view.
struct StorageId {
  DType dtype;                  ///< u8 for what is only kept as bytes
  const ForeignDType* foreign;  ///< what those bytes are; null for elements of our own
  const std::string& key;       // both live as long as the id
  const std::string& location;
  std::int64_t count;  ///< of elements of `dtype`

  /// Throws ValueError unless `id` is a tuple of `parts` parts as above.
  static StorageId read(const Value& id, std::size_t parts);
  /// Throws ValueError unless another id of the same key said the same.
  void check_same(std::int64_t elements, DType type) const;
  /// The elements where they belong. Throws ValueError for a place that is not there.
  Tensor move_to_location(const Tensor& flat, const LoadOptions& options) const;
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count) * size_of(dtype); }
};

}  // namespace taper::io
