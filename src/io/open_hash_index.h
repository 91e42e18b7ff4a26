// Numbers of things that lie elsewhere, one after the other, found by the hash of what they hold.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::io {

class OpenHashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// The number that was added with `hash` and that `is_it(number)` says is the one; or kNone.
  template <class IsIt> std::uint32_t find(std::size_t hash, IsIt is_it) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t low = mixed(hash);
    for (std::size_t i = low & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      const Slot& s = slots_[i];
      if (s.number == kNone || (s.hash == low && is_it(s.number))) return s.number;
    }
  }
  void add(std::size_t hash, std::uint32_t number) {
    if (2 * ++count_ > slots_.size()) grow();
    insert_slot({mixed(hash), number});
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = kNone;
  };
  /// Addresses differ in bits that the table would not look at.
  static std::uint32_t mixed(std::size_t hash) {
    return static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15u >> 32);
  }
  void insert_slot(Slot s) {
    std::size_t i = s.hash & (slots_.size() - 1);
    while (slots_[i].number != kNone) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = s;
  }
  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : 4 * slots_.size()));
    for (const Slot& s : old)
      if (s.number != kNone) insert_slot(s);
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace taper::io
