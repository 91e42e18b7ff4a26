// StorageId: the persistent id by which a pickle refers to a storage.
#pragma once
#include <string>

#include "io/pickle/globals/foreign_dtypes.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/io/load.h"

namespace taper::io {

/// A parsed tuple ('storage', class, key, location, number of elements); legacy files have a view
/// as a sixth part.
struct StorageId {
  DType dtype;                  ///< u8 if the dtype is not supported
  const ForeignDType* foreign;  ///< the unsupported dtype; null if `dtype` is the actual one
  const std::string& key;  // refers to the tuple, which must outlive the id; so does `location`
  const std::string& location;
  std::int64_t count;  ///< number of elements of `dtype`

  /// Parses a tuple of `parts` parts. Throws ValueError if it is not a valid storage id.
  static StorageId read(const Value& id, std::size_t parts);
  /// Throws ValueError if this id does not have `elements` elements of `type`, those of an earlier
  /// id with the same key.
  void check_matches(std::int64_t elements, DType type) const;
  /// Returns `flat` on the device that `map_location` selects or, by default, on the one of the
  /// storage location. Throws ValueError if the latter is not available.
  Tensor move_to_location(const Tensor& flat, const LoadOptions& options) const;
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count) * size_of(dtype); }
};

}  // namespace taper::io
