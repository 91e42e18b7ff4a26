#include "io/shared_tensors.h"

#include <algorithm>
#include <unordered_map>

namespace taper::io {

std::vector<std::vector<std::string>> shared_groups(const std::vector<Extent>& tensors) {
  std::unordered_map<const Storage*, std::size_t> numbers;
  std::vector<std::vector<const Extent*>> by_storage;
  for (const Extent& e : tensors) {
    if (e.storage->device().is_meta() || e.storage->bytes() == 0) continue;
    const auto [found, fresh] = numbers.try_emplace(e.storage.get(), by_storage.size());
    if (fresh) by_storage.emplace_back();
    by_storage[found->second].push_back(&e);
  }
  std::vector<std::vector<std::string>> groups;
  for (auto& all : by_storage) {
    if (all.size() < 2) continue;
    std::stable_sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->begin < b->begin; });
    std::vector<std::string> group;
    const auto finish = [&] {
      std::sort(group.begin(), group.end());
      if (group.size() > 1) groups.push_back(std::move(group));
      group.clear();
    };
    std::int64_t end = 0;
    for (const Extent* e : all) {
      if (e->begin >= end) finish();
      group.push_back(e->name);
      end = std::max(end, e->end);
    }
    finish();
  }
  return groups;
}

}  // namespace taper::io
