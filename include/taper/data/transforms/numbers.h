// Numbers: argument that is a number or a list of numbers.
#pragma once
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace data::transforms {

/// A number, or a list of numbers such as one per channel. An empty list means that the argument is
/// not specified, as None in Python.
class Numbers {
 public:
  Numbers() = default;
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>) Numbers(N value)
      : values_{static_cast<double>(value)} {}
  Numbers(std::initializer_list<double> values) : values_(values) {}
  Numbers(std::vector<double> values) : values_(std::move(values)) {}

  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  double operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

}  // namespace data::transforms
}  // namespace taper
