#include <algorithm>
#include <functional>
#include <set>

#include "contents.h"
#include "core/strided.h"
#include "core/tensor_impl.h"
#include "elements.h"

namespace taper::cli {

using taper::Tensor;

namespace {

struct Range {
  const void* storage;
  std::uint64_t begin, end;
  std::size_t item;
};

}  // namespace

void find_shared(std::vector<TensorItem>& tensors) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i].tensor;
    if (!has_elements(t) || t.numel() == 0) continue;
    const std::uint64_t begin =
        static_cast<std::uint64_t>(t.storage_offset()) * taper::size_of(t.dtype());
    ranges.push_back({t.impl()->storage.get(), begin, begin + extent_of(t), i});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.storage != b.storage ? std::less<>()(a.storage, b.storage)
                                  : std::pair(a.begin, a.item) < std::pair(b.begin, b.item);
  });
  for (std::size_t i = 0; i < ranges.size();) {
    std::size_t end = i + 1, first = ranges[i].item;
    std::uint64_t reach = ranges[i].end;
    for (; end < ranges.size() && ranges[end].storage == ranges[i].storage &&
           ranges[end].begin < reach;
         ++end) {
      reach = std::max(reach, ranges[end].end);
      first = std::min(first, ranges[end].item);
    }
    for (; i < end; ++i)
      if (ranges[i].item != first) tensors[ranges[i].item].shares_with = first;
  }
}

std::uint64_t stored_bytes(const Contents& contents, const std::vector<std::size_t>& chosen) {
  std::set<const void*> seen;
  std::uint64_t bytes = 0;
  for (const std::size_t i : chosen) {
    const Tensor& t = contents.tensors[i].tensor;
    if (!has_elements(t)) continue;
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
