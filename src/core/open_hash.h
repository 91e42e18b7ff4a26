// Open addressing with linear probing: the hash function, the search and the removal that the hash
// tables of the library share. Each table defines its own slots.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::open_hash {

/// Mixes the bits of a hash. std::hash returns numbers and addresses unchanged, so that their low
/// bits are often equal. The upper half of the product has the better mixed bits.
inline std::uint32_t mix(std::size_t hash) {
  return static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15u >> 32);
}
inline std::uint32_t mix(const void* address) {
  return mix(reinterpret_cast<std::uintptr_t>(address));
}

/// Returns the first slot, beginning at the home slot of the mixed `hash`, for which `stop(slot)`
/// is true. `capacity` is the number of slots, a power of two. `stop` must return true for free
/// slots, and at least one slot must be free.
template <class Stop>
std::size_t probe(std::uint32_t hash, std::size_t capacity, const Stop& stop) {
  std::size_t at = hash & (capacity - 1);
  while (!stop(at)) at = (at + 1) & (capacity - 1);
  return at;
}

/// Backward-shift deletion: moves later entries into the freed slot `hole`, so that `probe` still
/// finds them. `is_free(slot)` returns true for free slots; `hash_of(slot)` returns the mixed hash
/// of an entry; `move(from, to)` moves an entry and frees `from`.
template <class IsFree, class HashOf, class Move>
void close_hole(std::size_t hole, std::size_t capacity, const IsFree& is_free,
                const HashOf& hash_of, const Move& move) {
  const std::size_t mask = capacity - 1;
  for (std::size_t at = (hole + 1) & mask; !is_free(at); at = (at + 1) & mask) {
    // An entry stays if its home slot is after the hole: its probe sequence does not pass the hole.
    if (((at - hash_of(at)) & mask) < ((at - hole) & mask)) continue;
    move(at, hole);
    hole = at;
  }
}

}  // namespace taper::open_hash
