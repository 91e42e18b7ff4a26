#include "io/safetensors/shared_tensors.h"

#include <algorithm>
#include <tuple>

namespace taper::io {

std::vector<std::vector<std::size_t>> shared_groups(const std::vector<Extent>& tensors) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].begin < tensors[i].end && !tensors[i].storage->device().is_meta())
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Extent &x = tensors[a], &y = tensors[b];
    return std::tuple(x.storage, x.begin, a) < std::tuple(y.storage, y.begin, b);
  });
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < order.size();) {
    const Extent& first = tensors[order[i]];
    std::int64_t end = first.end;
    std::size_t last = i + 1;
    for (; last < order.size(); ++last) {
      const Extent& next = tensors[order[last]];
      if (next.storage != first.storage || next.begin >= end) break;
      end = std::max(end, next.end);
    }
    if (last - i > 1) {
      auto& group = groups.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(i),
                                        order.begin() + static_cast<std::ptrdiff_t>(last));
      std::sort(group.begin(), group.end());
    }
    i = last;
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

}  // namespace taper::io
