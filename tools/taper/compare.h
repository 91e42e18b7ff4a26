// Comparison of two checkpoints.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"
#include "core/element_difference.h"

namespace taper::cli {

/// Returns a hash of shape, dtype and elements. The hash does not depend on the strides.
std::uint64_t fingerprint(const taper::Tensor& t);

struct Comparison {
  struct Changed {
    std::size_t first, second;  ///< indices into Contents::tensors
    bool shape = false, dtype = false;
    taper::ElementDifference distance{};
  };
  /// Two tensors with different names that are probably the same tensor.
  struct Rename {
    std::size_t first, second;
    bool same_values;
  };
  struct ChangedValue {
    std::string name, first, second;  ///< `first`, `second`: brief forms, empty if absent
  };
  /// First tensors that differ in shape, then those in dtype, then those in values, by decreasing
  /// difference.
  std::vector<Changed> changed{};
  std::vector<std::size_t> only_first{}, only_second{};
  std::vector<Rename> renames{};  ///< probable renames among `only_first` and `only_second`
  std::vector<ChangedValue> values{};
  std::size_t common = 0;  ///< number of tensors present in both
  std::size_t equal = 0;   ///< number of common tensors that are equal
  bool empty() const {
    return changed.empty() && only_first.empty() && only_second.empty() && values.empty();
  }
};

/// Compares the tensors and the other values of two checkpoints that have the same names.
Comparison compare(const Contents& a, const Contents& b, const taper::Tolerance& tolerance);

/// Pairs tensors that exist on one side only: first those with equal shape, dtype and elements,
/// then those with equal shape and dtype, by the similarity of their names.
std::vector<Comparison::Rename> guess_renames(const Contents& a,
                                              const std::vector<std::size_t>& only_a,
                                              const Contents& b,
                                              const std::vector<std::size_t>& only_b);

}  // namespace taper::cli
