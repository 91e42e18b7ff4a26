// Rectangles of random area and aspect ratio.
#pragma once
#include <array>
#include <cmath>

#include "data/transforms/draw.h"

namespace taper::data::transforms {

/// Lengths of the sides of a rectangle: sqrt(area * ratio) and sqrt(area / ratio), rounded.
struct RandomArea {
  std::int64_t times_ratio, over_ratio;
};

/// Throws ValueError if a ratio is not positive.
inline void check_ratio(std::string_view name, const std::array<double, 2>& ratio) {
  if (!(ratio[0] > 0 && ratio[1] > 0))
    fail<ValueError>("{}: ratios must be positive: got ({}, {})", name, ratio[0], ratio[1]);
}

/// Draws a share of `area` in the range `scale`, and a ratio whose logarithm is uniform.
inline RandomArea draw_area(std::int64_t area, const std::array<double, 2>& scale,
                            const std::array<double, 2>& ratio, const Generator& generator) {
  const double part = static_cast<double>(area) * draw_uniform(scale[0], scale[1], generator);
  const auto log_of = [](double x) { return static_cast<double>(std::log(static_cast<float>(x))); };
  const double log_ratio = draw_uniform(log_of(ratio[0]), log_of(ratio[1]), generator);
  const auto aspect = static_cast<double>(std::exp(static_cast<float>(log_ratio)));
  return {round_to_integer(std::sqrt(part * aspect)), round_to_integer(std::sqrt(part / aspect))};
}

}  // namespace taper::data::transforms
