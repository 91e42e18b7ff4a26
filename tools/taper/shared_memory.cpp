#include <set>

#include "contents.h"
#include "core/element_reader.h"
#include "core/strided.h"
#include "core/tensor_impl.h"
#include "io/safetensors/shared_tensors.h"

namespace taper::cli {

using taper::Tensor;

void find_shared(std::vector<TensorItem>& tensors) {
  std::vector<taper::io::Extent> extents;
  for (const TensorItem& item : tensors) {
    const Tensor& t = item.tensor;
    taper::io::Extent& extent = extents.emplace_back(taper::io::Extent{nullptr, 0, 0});
    if (!taper::has_host_elements(t)) continue;
    const std::int64_t begin =
        t.storage_offset() * static_cast<std::int64_t>(taper::size_of(t.dtype()));
    extent = {t.impl()->storage.get(), begin, begin + static_cast<std::int64_t>(extent_of(t))};
  }
  for (const auto& group : taper::io::shared_groups(extents))
    for (const std::size_t i : group)
      if (i != group[0]) tensors[i].shares_with = group[0];
}

std::uint64_t stored_bytes(const Contents& contents, const std::vector<std::size_t>& chosen) {
  std::set<const void*> seen;
  std::uint64_t bytes = 0;
  for (const std::size_t i : chosen) {
    const Tensor& t = contents.tensors[i].tensor;
    if (!taper::has_host_elements(t)) continue;
    const taper::Storage* const storage = t.impl()->storage.get();
    if (seen.insert(storage).second) bytes += storage->bytes();
  }
  return bytes;
}

std::uint64_t extent_of(const Tensor& t) {
  if (t.numel() == 0) return 0;
  return static_cast<std::uint64_t>(taper::extent_of(t.shape(), t.strides())) *
         taper::size_of(t.dtype());
}

}  // namespace taper::cli
