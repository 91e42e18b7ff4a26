// Hash map from object addresses to indices. Erasing entries retains its capacity.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/open_hash.h"

namespace taper {

/// Hash map with open addressing and linear probing.
class PointerMap {
 public:
  /// Returns the index of `key` and whether the key was inserted. A new key is inserted with
  /// `value`.
  std::pair<std::size_t, bool> find_or_add(const void* key, std::size_t value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    const std::size_t at = find(key);
    if (slots_[at].key) return {slots_[at].value, false};
    slots_[at] = {key, value};
    ++size_;
    return {value, true};
  }
  /// Removes `key`, which must be present.
  void erase(const void* key) {
    const std::size_t hole = find(key);
    slots_[hole].key = nullptr;
    --size_;
    open_hash::close_hole(
        hole, slots_.size(), [this](std::size_t at) { return !slots_[at].key; },
        [this](std::size_t at) { return hash(slots_[at].key); },
        [this](std::size_t from, std::size_t to) {
          slots_[to] = slots_[from];
          slots_[from].key = nullptr;
        });
  }
  std::size_t capacity() const { return slots_.size(); }

 private:
  struct Slot {
    const void* key = nullptr;
    std::size_t value = 0;
  };
  /// Returns the hash of `key`, ignoring the low bits, which alignment makes equal.
  static std::uint32_t hash(const void* key) {
    return open_hash::mix(reinterpret_cast<std::uintptr_t>(key) / 64);
  }
  /// Returns the slot of `key` if it is present, otherwise the free slot in which to insert it.
  std::size_t find(const void* key) const {
    return open_hash::probe(hash(key), slots_.size(), [&](std::size_t at) {
      return !slots_[at].key || slots_[at].key == key;
    });
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(64, old.size() * 2), {});
    for (const Slot& s : old)
      if (s.key) slots_[find(s.key)] = s;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace taper
