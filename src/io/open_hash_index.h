// OpenHashIndex: a hash table of numbers that index an array of the caller, which holds the keys.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/open_hash.h"

namespace taper::io {

class OpenHashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Returns the number that was added with `hash` and for which `is_it(number)` is true, or kNone.
  template <class IsIt> std::uint32_t find(std::size_t hash, IsIt is_it) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t mixed = open_hash::mix(hash);
    return slots_[open_hash::probe(mixed, slots_.size(),
                                   [&](std::size_t at) {
                                     const Slot& s = slots_[at];
                                     return s.number == kNone ||
                                            (s.hash == mixed && is_it(s.number));
                                   })]
        .number;
  }
  void add(std::size_t hash, std::uint32_t number) {
    if (2 * ++count_ > slots_.size()) grow();
    insert_slot({open_hash::mix(hash), number});
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = kNone;
  };
  void insert_slot(Slot s) {
    slots_[open_hash::probe(s.hash, slots_.size(),
                            [&](std::size_t at) { return slots_[at].number == kNone; })] = s;
  }
  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : 4 * slots_.size()));
    for (const Slot& s : old)
      if (s.number != kNone) insert_slot(s);
  }

  std::vector<Slot> slots_;  // the size is a power of two
  std::size_t count_ = 0;
};

}  // namespace taper::io
