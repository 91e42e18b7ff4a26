// What two checkpoints do not have in common.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"

namespace taper::cli {

/// Elements count as equal if |a - b| <= atol + rtol * |b|, or both are nan.
struct Tolerance {
  double rtol = 0, atol = 0;
};

/// How the elements of two tensors of one shape differ.
struct Distance {
  std::int64_t elements = 0, num_different = 0;
  double max_abs_diff = 0;       ///< inf where one is nan and the other is not
  taper::Shape index{};          ///< where that is
  double first = 0, second = 0;  ///< what is there
  double mean = 0;               ///< of |a - b| where it is finite, over all elements
  bool read = true;              ///< false: the elements lie over each other in memory
};
/// In a bounded amount of memory.
Distance distance_of(const taper::Tensor& a, const taper::Tensor& b, const Tolerance& tolerance);

/// A hash of shape, dtype and elements, whatever the strides.
std::uint64_t fingerprint(const taper::Tensor& t);

struct Comparison {
  struct Changed {
    std::size_t first, second;  ///< indices of tensors
    bool shape = false, dtype = false;
    Distance distance{};
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

Comparison compare(const Contents& a, const Contents& b, const Tolerance& tolerance);

/// Pairs those that are on one side only: equal shapes, dtypes and elements first, then equal
/// shapes and dtypes by how much of the names agrees.
std::vector<Comparison::Rename> guess_renames(const Contents& a,
                                              const std::vector<std::size_t>& only_a,
                                              const Contents& b,
                                              const std::vector<std::size_t>& only_b);

}  // namespace taper::cli
