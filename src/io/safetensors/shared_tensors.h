// Detection of tensors that share memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/storage.h"

namespace taper::io {

/// The byte range of a storage that a tensor covers.
struct Extent {
  const Storage* storage;
  std::int64_t begin, end;
};

/// Returns the groups of two or more tensors whose bytes overlap, as ascending indices, ordered by
/// their first members. Meta tensors and empty tensors are in no group.
std::vector<std::vector<std::size_t>> shared_groups(const std::vector<Extent>& tensors);

}  // namespace taper::io
