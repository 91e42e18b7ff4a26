#include "io/safetensors/shared_tensors.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace taper::io {

std::vector<std::vector<std::string>> shared_groups(const std::vector<Extent>& tensors) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].storage->device().is_meta() && tensors[i].begin < tensors[i].end)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Extent &x = tensors[a], &y = tensors[b];
    return std::tuple(x.storage, x.begin, a) < std::tuple(y.storage, y.begin, b);
  });
  std::map<std::size_t, std::vector<std::string>> groups;  // by their first members
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
      std::vector<std::string> group;
      for (std::size_t k = i; k < last; ++k) group.emplace_back(tensors[order[k]].name);
      std::sort(group.begin(), group.end());
      groups[*std::min_element(order.begin() + static_cast<std::ptrdiff_t>(i),
                               order.begin() + static_cast<std::ptrdiff_t>(last))] =
          std::move(group);
    }
    i = last;
  }
  std::vector<std::vector<std::string>> all;
  for (auto& [number, group] : groups) all.push_back(std::move(group));
  return all;
}

}  // namespace taper::io
