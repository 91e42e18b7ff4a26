// diff: comparison of two modules or two state dicts.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// Tolerances of `diff`. Elements are equal if |a - b| <= atol + rtol * |b|, or if both are NaN.
struct DiffOptions {
  double rtol = 0, atol = 0;
};

/// Result of `diff`; empty if no difference was found. Prints a summary and one line per
/// difference, where tensors with different elements are sorted by the maximum difference in
/// descending order.
struct Diff {
  /// Module whose class or arguments differ, or that exists on one side only.
  struct ModuleEntry {
    std::string path;
    /// Printed form without children; empty if the module does not exist.
    std::string first, second;
  };
  /// Differing entry of the state dicts.
  struct TensorEntry {
    enum class Kind : std::uint8_t { only_first, only_second, kind, shape, dtype, values };
    Kind kind;
    std::string key;
    std::string first, second;  ///< "float32 [2, 3]", or a description of another kind of value
    // Set for tensors of equal shape, regardless of dtype:
    double max_abs_diff = 0;  ///< maximum absolute difference; inf if exactly one element is NaN
    Shape index{};            ///< index of the maximum difference
    double first_value = 0, second_value = 0;  ///< elements at that index
    double mean = 0;  ///< sum of the finite absolute differences, divided by the number of elements
    /// Number of elements that differ, and of all elements.
    std::int64_t num_different = 0, elements = 0;
  };
  std::vector<ModuleEntry> modules;
  std::vector<TensorEntry> tensors;
  std::int64_t compared = 0;  ///< number of state dict entries that exist on both sides
  bool empty() const { return modules.empty() && tensors.empty(); }
  /// Returns the printed form.
  std::string str() const;
};
/// Writes `diff.str()`.
std::ostream& operator<<(std::ostream& out, const Diff& diff);

/// Compares the modules at equal paths by class and printed arguments, and the state dicts by keys,
/// shapes, dtypes and elements. The elements of tensors on meta and of uninitialized tensors are
/// not compared.
///
///   std::cout << nn::diff(trained, net) << '\n';
Diff diff(const Module& first, const Module& second, const DiffOptions& options = {});
/// Compares two state dicts by keys, shapes, dtypes and elements. Throws TypeError if an argument
/// is not a dict.
Diff diff(const Value& first, const Value& second, const DiffOptions& options = {});

}  // namespace nn
}  // namespace taper
