// Hash map from object addresses to indices. Clearing retains its capacity.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper {

/// Open addressing with linear probing.
class PointerMap {
 public:
  /// Returns the index of `key` and whether the key was inserted. A new key is inserted with
  /// `value`.
  std::pair<std::size_t, bool> find_or_add(const void* key, std::size_t value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::size_t at = home(key);
    for (; slots_[at].key; at = next(at))
      if (slots_[at].key == key) return {slots_[at].value, false};
    slots_[at] = {key, value};
    ++size_;
    return {value, true};
  }
  /// Removes `key`, which must be present.
  void erase(const void* key) {
    std::size_t hole = home(key);
    while (slots_[hole].key != key) hole = next(hole);
    slots_[hole].key = nullptr;
    --size_;
    // Move back the entries that were pushed past the hole, so that probing finds them.
    for (std::size_t at = next(hole); slots_[at].key; at = next(at)) {
      const std::size_t want = home(slots_[at].key);
      const bool between = hole < at ? want > hole && want <= at : want > hole || want <= at;
      if (between) continue;
      slots_[hole] = slots_[at];
      slots_[at].key = nullptr;
      hole = at;
    }
  }
  std::size_t capacity() const { return slots_.size(); }

 private:
  struct Slot {
    const void* key = nullptr;
    std::size_t value = 0;
  };
  std::size_t home(const void* key) const {
    return (reinterpret_cast<std::uintptr_t>(key) / 64 * 0x9e3779b97f4a7c15u >> 32) &
           (slots_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(64, old.size() * 2), {});
    for (const Slot& s : old)
      if (s.key) {
        std::size_t at = home(s.key);
        while (slots_[at].key) at = next(at);
        slots_[at] = s;
      }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace taper
