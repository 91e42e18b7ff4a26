// What two networks, or two state dicts, do not have in common.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// Elements count as equal if |a - b| <= atol + rtol * |b|, or both are nan.
struct DiffOptions {
  double rtol = 0, atol = 0;
};

/// What `diff` found; empty for equals. Prints a summary and a line for each difference, tensors
/// whose elements differ by the largest difference first.
struct Diff {
  /// A module that is another one, or on one side only.
  struct ModuleEntry {
    std::string path;
    std::string first, second;  ///< as they print, without children; empty: not there
  };
  /// An entry of the state dicts.
  struct TensorEntry {
    enum class Kind : std::uint8_t { only_first, only_second, kind, shape, dtype, values };
    Kind kind;
    std::string key;
    std::string first, second;  ///< "float32 [2, 3]", or what else is there
    // Of tensors of one shape, whatever their dtypes:
    double largest = 0;                        ///< difference; inf where one is nan
    Shape at{};                                ///< where that is
    double first_value = 0, second_value = 0;  ///< what is there
    double mean = 0;                           ///< of all differences
    std::int64_t differing = 0, elements = 0;
  };
  std::vector<ModuleEntry> modules{};
  std::vector<TensorEntry> tensors{};
  std::int64_t compared = 0;  ///< entries that both have
  bool empty() const { return modules.empty() && tensors.empty(); }
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const Diff& diff);

/// Compares the modules at equal paths by class and printed arguments, and the state dicts by keys,
/// shapes, dtypes and elements. Tensors on meta and uninitialized ones have no elements to compare.
///
///   std::cout << nn::diff(trained, net) << '\n';
Diff diff(const Module& first, const Module& second, const DiffOptions& options = {});
/// The same for state dicts. Throws TypeError for what is no dict.
Diff diff(const Value& first, const Value& second, const DiffOptions& options = {});

}  // namespace nn
}  // namespace taper
