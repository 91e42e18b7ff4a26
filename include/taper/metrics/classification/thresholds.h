// Thresholds of a curve.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace metrics {

/// Thresholds of a curve: none for an exact curve, which stores all predictions; a number of evenly
/// spaced thresholds from 0 to 1; or a list.
class Thresholds {
 public:
  Thresholds() = default;
  /// Throws ValueError if `count` is less than 2.
  Thresholds(IntArg count);
  template <std::integral I>
  requires(!std::same_as<I, bool>) Thresholds(I count)
      : Thresholds(IntArg(static_cast<std::int64_t>(count))) {}
  /// Throw ValueError if the list is empty or a threshold is not in [0, 1].
  Thresholds(std::initializer_list<double> values);
  Thresholds(const std::vector<double>& values);
  /// Copies the thresholds. Throws ShapeError if the tensor is not 1-dimensional or is empty.
  Thresholds(const Tensor& values);

  /// Returns the thresholds `(T)`; undefined for an exact curve.
  const Tensor& values() const { return values_; }

 private:
  Tensor values_{};
};

}  // namespace metrics
}  // namespace taper
