// Which tensors share memory.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage.h"

namespace taper::io {

/// A tensor by name, and the bytes of its storage that it reaches.
struct Extent {
  std::string_view name;
  const Storage* storage;
  std::int64_t begin, end;
};

/// Groups of two and more whose bytes overlap, each sorted by name, in the order of their first
/// members. What has no memory shares none.
std::vector<std::vector<std::string>> shared_groups(const std::vector<Extent>& tensors);

}  // namespace taper::io
