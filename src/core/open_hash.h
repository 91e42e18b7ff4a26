// Open addressing with linear probing: the hash function and the search that the hash tables of the
// library share. They differ in what a slot holds and where the slots are stored.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::open_hash {

/// Mixes a hash whose low bits may be equal: std::hash returns numbers and addresses as they are.
/// The upper half of the product has the better mixed bits.
inline std::uint32_t mix(std::size_t hash) {
  return static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15u >> 32);
}
inline std::uint32_t mix(const void* address) {
  return mix(reinterpret_cast<std::uintptr_t>(address));
}

/// Returns the first slot, from that of the mixed `hash` on, for which `stop(slot)` is true. The
/// number of slots, `capacity`, is a power of two, and `stop` is true for a free slot, of which
/// there must be one.
template <class Stop>
std::size_t probe(std::uint32_t hash, std::size_t capacity, const Stop& stop) {
  std::size_t at = hash & (capacity - 1);
  while (!stop(at)) at = (at + 1) & (capacity - 1);
  return at;
}

/// Moves entries back into the slot `hole`, which was freed, so that `probe` finds all of them.
/// `is_free(slot)` and `hash_of(slot)` read a slot, `move(from, to)` moves an entry and frees
/// `from`.
template <class IsFree, class HashOf, class Move>
void close_hole(std::size_t hole, std::size_t capacity, const IsFree& is_free,
                const HashOf& hash_of, const Move& move) {
  const std::size_t mask = capacity - 1;
  for (std::size_t at = (hole + 1) & mask; !is_free(at); at = (at + 1) & mask) {
    // An entry stays if its first slot lies behind the hole: probing for it does not pass the hole.
    if (((at - hash_of(at)) & mask) < ((at - hole) & mask)) continue;
    move(at, hole);
    hole = at;
  }
}

}  // namespace taper::open_hash
