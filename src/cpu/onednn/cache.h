// Cache of oneDNN primitives by attributes and shapes. Each thread has a separate cache, so that an
// entry may own the memory objects it runs on; creating these costs more than a small kernel.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/per_thread.h"

namespace taper::cpu::onednn {

/// Cache key: everything a primitive depends on, as integers. Unused entries are 0.
using Key = std::array<std::int64_t, 28>;

struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    std::uint64_t h = 1469598103934665603ULL;
    for (const std::int64_t v : key) h = (h ^ static_cast<std::uint64_t>(v)) * 1099511628211ULL;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

template <class Entry> struct EntryTable {
  std::unordered_map<Key, std::unique_ptr<Entry>, KeyHash> entries;
};

/// Returns the calling thread's entry for `key`, created by `make()` on first use. A cache of kMax
/// entries is cleared before an entry is added; oneDNN's own cache retains the code.
template <class Entry, class Make> Entry& cached(const Key& key, Make&& make) {
  constexpr std::size_t kMax = 1024;
  auto& table = PerThread<EntryTable<Entry>>::get().entries;
  const auto found = table.find(key);
  if (found != table.end()) return *found->second;
  if (table.size() >= kMax) table.clear();
  return *table.emplace(key, make()).first->second;
}

}  // namespace taper::cpu::onednn
