// Operations of the augmentation policies and their magnitudes.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "taper/core/generator.h"
#include "taper/core/tensor.h"
#include "taper/data/transforms/numbers.h"

namespace taper::data::transforms {

/// Names of operations in the order in which a policy draws them.
using OperationNames = std::span<const char* const>;
/// Returns the operations of RandAugment and TrivialAugmentWide.
OperationNames all_operations();
/// Returns the operations of AugMix; unless `all`, without those that change colors by a factor.
OperationNames mixed_operations(bool all);

/// Largest magnitudes of a policy.
struct MagnitudeRanges {
  double shear;                ///< tangent of the angle
  double translation;          ///< pixels, or share of the size if `is_relative`
  bool is_relative;            ///< translation is a share of width or height
  double rotation;             ///< degrees
  double factor;               ///< of brightness, color, contrast and sharpness
  int max_bits, removed_bits;  ///< of posterize
};

/// Magnitudes of an operation.
struct Magnitudes {
  bool exist = false;      ///< false: the operation does not have a magnitude
  bool is_signed = false;  ///< the sign is random
  bool are_bits = false;   ///< whole numbers
  double first = 0, last = 0;

  /// Returns magnitude i of `count`, computed in float.
  double at(std::int64_t i, std::int64_t count) const;
};
/// Returns the magnitudes of an operation for images of the size of `image`.
Magnitudes magnitudes_of(const std::string& op, const MagnitudeRanges& ranges, const Tensor& image);

/// Draws an operation and returns its name.
std::string draw_operation(OperationNames names, const Generator& generator);
/// Returns magnitude i of `count`, negated with probability 1/2 if it is signed; 0, without a draw,
/// if the operation does not have magnitudes.
double draw_sign(const Magnitudes& magnitudes, std::int64_t i, std::int64_t count,
                 const Generator& generator);

/// Applies an operation to an image. Throws ValueError for an unknown name.
Tensor apply_operation(const Tensor& image, const std::string& op, double magnitude,
                       const std::string& interpolation, const Numbers& fill);

}  // namespace taper::data::transforms
