// Numbers by hash, for tables of many small things that are kept in a vector.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::io {

/// Open addressing with linear probing; the caller compares the things themselves.
class FlatIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// The number of the thing of that hash for which `is_it(number)`; kNone if there is none.
  template <class IsIt> std::uint32_t find(std::size_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return kNone;
    for (std::size_t i = first(hash);; i = (i + 1) & (slots_.size() - 1)) {
      const Slot& s = slots_[i];
      if (s.number == kNone) return kNone;
      if (s.hash == tag(hash) && is_it(s.number)) return s.number;
    }
  }
  /// Adds one that is not there, with the next number: 0, 1, ...
  void add(std::size_t hash) {
    if (2 * (hashes_.size() + 1) > slots_.size()) grow();
    place(static_cast<std::uint32_t>(hashes_.size()), hash);
    hashes_.push_back(hash);
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = kNone;
  };
  static std::uint32_t tag(std::size_t hash) { return static_cast<std::uint32_t>(hash); }
  std::size_t first(std::size_t hash) const {
    return static_cast<std::size_t>((hash * 0x9e3779b97f4a7c15u) >>
                                    (64 - std::countr_zero(slots_.size())));
  }
  void place(std::uint32_t number, std::size_t hash) {
    std::size_t i = first(hash);
    while (slots_[i].number != kNone) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {tag(hash), number};
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), {});
    for (std::size_t k = 0; k < hashes_.size(); ++k)
      place(static_cast<std::uint32_t>(k), hashes_[k]);
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> hashes_;
};

}  // namespace taper::io
