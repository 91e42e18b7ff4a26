// What two checkpoints do not have in common.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"
#include "core/element_difference.h"

namespace taper::cli {

/// A hash of shape, dtype and elements, whatever the strides.
std::uint64_t fingerprint(const taper::Tensor& t);

struct Comparison {
  struct Changed {
    std::size_t first, second;  ///< indices of tensors
    bool shape = false, dtype = false;
    taper::ElementDifference distance{};
  };
  /// Tensors of two names that are probably the same one.
  struct Rename {
    std::size_t first, second;
    bool same_values;
  };
  struct ChangedValue {
    std::string name, first, second;  ///< brief texts; empty: not there
  };
  std::vector<Changed>
      changed{};  ///< shapes, then dtypes, then values, the largest difference first
  std::vector<std::size_t> only_first{}, only_second{};
  std::vector<Rename> renames{};  ///< among those
  std::vector<ChangedValue> values{};
  std::size_t common = 0;  ///< tensors that both have
  std::size_t equal = 0;   ///< of those, equal ones
  bool empty() const {
    return changed.empty() && only_first.empty() && only_second.empty() && values.empty();
  }
};

Comparison compare(const Contents& a, const Contents& b, const taper::Tolerance& tolerance);

/// Pairs those that are on one side only: equal shapes, dtypes and elements first, then equal
/// shapes and dtypes by how much of the names agrees.
std::vector<Comparison::Rename> guess_renames(const Contents& a,
                                              const std::vector<std::size_t>& only_a,
                                              const Contents& b,
                                              const std::vector<std::size_t>& only_b);

}  // namespace taper::cli
