// From objects, by identity, to numbers: a hash table that keeps its room when it empties.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper {

class PointerIndex {
 public:
  /// The number of `key`, which gets `fresh` if it is new.
  std::pair<std::size_t, bool> find_or_add(const void* key, std::size_t fresh) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    std::size_t at = home(key);
    for (; slots_[at].key; at = next(at))
      if (slots_[at].key == key) return {slots_[at].number, false};
    slots_[at] = {key, fresh};
    ++used_;
    return {fresh, true};
  }
  /// `key` must be there.
  void erase(const void* key) {
    std::size_t hole = home(key);
    while (slots_[hole].key != key) hole = next(hole);
    slots_[hole].key = nullptr;
    --used_;
    // Close the gap: move back what was pushed past it.
    for (std::size_t at = next(hole); slots_[at].key; at = next(at)) {
      const std::size_t want = home(slots_[at].key);
      const bool between = hole < at ? want > hole && want <= at : want > hole || want <= at;
      if (between) continue;
      slots_[hole] = slots_[at];
      slots_[at].key = nullptr;
      hole = at;
    }
  }
  std::size_t room() const { return slots_.size(); }

 private:
  struct Slot {
    const void* key = nullptr;
    std::size_t number = 0;
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
  std::size_t used_ = 0;
};

}  // namespace taper
