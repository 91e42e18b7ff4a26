// Pixels and weights that the points of a grid interpolate between.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "taper/core/shape.h"

namespace taper::grid {

enum class Mode : std::uint8_t { bilinear, nearest, bicubic };
enum class Padding : std::uint8_t { zeros, border, reflection };
inline Padding padding_named(std::string_view name) {
  return name == "zeros"    ? Padding::zeros
         : name == "border" ? Padding::border
                            : Padding::reflection;
}

inline constexpr std::size_t kMaxDims = 3;

/// Sampling of one dimension of the image.
struct Axis {
  std::int64_t size = 1, step = 1;  ///< number of pixels, distance between their elements
  bool align_corners = false;
  Padding padding = Padding::zeros;
};

/// Position in pixels, and its derivative with respect to the coordinate.
template <class T> struct Position { T at, slope; };

/// Maps [-1, 1] to the positions of the pixels.
template <class T> Position<T> to_pixels(T x, const Axis& axis) {
  const T n = static_cast<T>(axis.size);
  return axis.align_corners ? Position<T>{(x + 1) / 2 * (n - 1), (n - 1) / 2}
                            : Position<T>{((x + 1) * n - 1) / 2, n / 2};
}

/// Limits a position to the pixels. The derivative at the first and last pixel is 0, as in PyTorch.
template <class T> Position<T> clip(Position<T> p, std::int64_t size) {
  const T last = static_cast<T>(size - 1);
  if (p.at > 0 && p.at < last) return p;
  return {p.at > 0 ? (p.at < last ? p.at : last) : T(0), T(0)};
}

/// Reflects a position at the borders of the image.
template <class T> Position<T> reflect(Position<T> p, const Axis& axis) {
  if (axis.align_corners && axis.size == 1) return {0, 0};
  const T min = axis.align_corners ? T(0) : T(-0.5),
          span = static_cast<T>(axis.align_corners ? axis.size - 1 : axis.size);
  T moved = p.at - min, slope = p.slope;
  if (moved < 0) moved = -moved, slope = -slope;
  const T flips = std::floor(moved / span), rest = moved - flips * span;
  const bool even = std::fmod(flips, T(2)) == 0;
  return {(even ? rest : span - rest) + min, even ? slope : -slope};
}

template <class T> Position<T> pad_position(Position<T> p, const Axis& axis) {
  if (axis.padding == Padding::zeros) return p;
  return clip(axis.padding == Padding::reflection ? reflect(p, axis) : p, axis.size);
}

/// Pixels of one dimension that contribute to a point: element offsets, -1 outside of the image,
/// weights, and the derivatives of the weights with respect to the coordinate.
template <class T> struct Taps {
  std::array<std::int64_t, 4> offset;
  std::array<T, 4> weight, slope;
};

template <class T> std::int64_t offset_of(T pixel, const Axis& axis) {
  // Also rejects NaN and numbers that do not fit an integer.
  if (!(pixel >= 0 && pixel <= static_cast<T>(axis.size - 1))) return -1;
  return static_cast<std::int64_t>(pixel) * axis.step;
}

/// Number of pixels per dimension.
constexpr std::size_t tap_count(Mode mode) {
  return mode == Mode::nearest ? 1 : mode == Mode::bilinear ? 2 : 4;
}

/// Returns the pixels for coordinate x.
template <Mode mode, class T> Taps<T> taps_of(T x, const Axis& axis) {
  Taps<T> taps;
  Position<T> p = to_pixels(x, axis);
  if constexpr (mode == Mode::nearest) {
    p = pad_position(p, axis);
    taps.offset[0] = offset_of(std::nearbyint(p.at), axis);
    taps.weight[0] = 1, taps.slope[0] = 0;
  } else if constexpr (mode == Mode::bilinear) {
    p = pad_position(p, axis);
    const T low = std::floor(p.at), t = p.at - low;
    for (std::size_t k = 0; k < 2; ++k) taps.offset[k] = offset_of(low + static_cast<T>(k), axis);
    taps.weight[0] = low + 1 - p.at, taps.weight[1] = t;
    taps.slope[0] = -p.slope, taps.slope[1] = p.slope;
  } else {  // cubic convolution with a = -0.75
    constexpr T a = T(-0.75);
    const T low = std::floor(p.at), t = p.at - low;
    for (std::size_t k = 0; k < 4; ++k) {
      const Position<T> pixel{low + static_cast<T>(k) - 1, 0};
      taps.offset[k] = offset_of(pad_position(pixel, axis).at, axis);
      const bool is_near = k == 1 || k == 2;
      // Distance of the point from the pixel, and its derivative with respect to t.
      const T d = k < 2 ? t + static_cast<T>(1 - static_cast<int>(k)) : static_cast<T>(k) - 1 - t;
      const T sign = k < 2 ? T(1) : T(-1);
      taps.weight[k] =
          is_near ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
      const T slope =
          is_near ? (3 * (a + 2) * d - 2 * (a + 3)) * d : (3 * a * d - 10 * a) * d + 8 * a;
      taps.slope[k] = slope * sign * p.slope;
    }
  }
  return taps;
}

}  // namespace taper::grid
