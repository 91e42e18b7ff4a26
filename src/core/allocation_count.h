// How many bytes are held, and the most that ever were. Each thread keeps a ledger of its own, so
// that a small request costs no locked instruction; what a ledger carries goes to the common
// account when it is much.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::allocation_count {

void add(std::size_t bytes) noexcept;
void remove(std::size_t bytes) noexcept;

struct Totals {
  std::size_t held;
  /// Exact where one thread allocates; of several, each one's own peak counts beside what the
  /// others hold.
  std::size_t peak;
  std::uint64_t requests;
};
Totals totals();
void reset_peak();

}  // namespace taper::allocation_count
