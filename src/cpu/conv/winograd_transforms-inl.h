// Winograd transforms of vectors of channels: one-dimensional transforms, applied to the columns
// and then to the rows of a tile.
#if defined(TAPER_CPU_CONV_WINOGRAD_TRANSFORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_CONV_WINOGRAD_TRANSFORMS_INL_H_
#undef TAPER_CPU_CONV_WINOGRAD_TRANSFORMS_INL_H_
#else
#define TAPER_CPU_CONV_WINOGRAD_TRANSFORMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_winograd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// The points of interpolation are 0, kNear, -kNear, kFar, -kFar and infinity. Their squares and
// cubes are exact. These points have a quarter of the rounding error of 0, 1, -1, 2, -2.
constexpr float kNear = 0.625f, kFar = 1.5f;
constexpr float kNear2 = kNear * kNear, kFar2 = kFar * kFar;
constexpr float kNear3 = kNear2 * kNear, kFar3 = kFar2 * kFar;
// Reciprocals of the products of differences to the other points.
constexpr float kZeroWeight = 1 / (kNear2 * kFar2);
constexpr float kNearWeight = 1 / (2 * kNear2 * (kNear2 - kFar2));
constexpr float kFarWeight = 1 / (2 * kFar2 * (kFar2 - kNear2));

HWY_INLINE V scaled(float factor, V v) { return hn::Mul(hn::Set(D(), factor), v); }
HWY_INLINE V add_scaled(float factor, V v, V to) { return hn::MulAdd(hn::Set(D(), factor), v, to); }

/// Transforms six pixels of the input.
struct InputTransform {
  static constexpr int kIn = 6, kOut = 6;
  static HWY_INLINE void run(const V* x, V* y) {
    const V near_even = add_scaled(-kFar2, x[2], x[4]);
    const V near_odd = scaled(kNear, add_scaled(-kFar2, x[1], x[3]));
    const V far_even = add_scaled(-kNear2, x[2], x[4]);
    const V far_odd = scaled(kFar, add_scaled(-kNear2, x[1], x[3]));
    const V first = add_scaled(kNear2 * kFar2, x[0], add_scaled(-(kNear2 + kFar2), x[2], x[4]));
    const V last = add_scaled(kNear2 * kFar2, x[1], add_scaled(-(kNear2 + kFar2), x[3], x[5]));
    y[0] = first;
    y[1] = hn::Add(near_even, near_odd);
    y[2] = hn::Sub(near_even, near_odd);
    y[3] = hn::Add(far_even, far_odd);
    y[4] = hn::Sub(far_even, far_odd);
    y[5] = last;
  }
};

/// Assigns the values of a polynomial at all points, from the sums of its terms of even and of odd
/// degree at the near and far points.
HWY_INLINE void assign_values(V zero, V near_even, V near_odd, V far_even, V far_odd, V last,
                              V* y) {
  y[0] = scaled(kZeroWeight, zero);
  y[1] = scaled(kNearWeight, hn::Add(near_even, near_odd));
  y[2] = scaled(kNearWeight, hn::Sub(near_even, near_odd));
  y[3] = scaled(kFarWeight, hn::Add(far_even, far_odd));
  y[4] = scaled(kFarWeight, hn::Sub(far_even, far_odd));
  y[5] = last;
}

/// Transforms three weights.
struct WeightTransform {
  static constexpr int kIn = 3, kOut = 6;
  static HWY_INLINE void run(const V* x, V* y) {
    assign_values(x[0], add_scaled(kNear2, x[2], x[0]), scaled(kNear, x[1]),
                  add_scaled(kFar2, x[2], x[0]), scaled(kFar, x[1]), x[2], y);
  }
};

/// Transforms four pixels of the gradient of the output, which act as weights of four pixels.
struct GradientTransform {
  static constexpr int kIn = 4, kOut = 6;
  static HWY_INLINE void run(const V* x, V* y) {
    assign_values(x[0], add_scaled(kNear2, x[2], x[0]),
                  add_scaled(kNear3, x[3], scaled(kNear, x[1])), add_scaled(kFar2, x[2], x[0]),
                  add_scaled(kFar3, x[3], scaled(kFar, x[1])), x[3], y);
  }
};

/// Sums and differences of the coefficients of opposite points.
struct OppositePoints {
  V near_sum, near_difference, far_sum, far_difference;
  explicit HWY_INLINE OppositePoints(const V* x)
      : near_sum(hn::Add(x[1], x[2])),
        near_difference(hn::Sub(x[1], x[2])),
        far_sum(hn::Add(x[3], x[4])),
        far_difference(hn::Sub(x[3], x[4])) {}
};

/// Computes four pixels of the output from six coefficients.
struct OutputTransform {
  static constexpr int kIn = 6, kOut = 4;
  static HWY_INLINE void run(const V* x, V* y) {
    const OppositePoints p(x);
    const V last = x[5];
    y[0] = hn::Add(hn::Add(x[0], p.near_sum), p.far_sum);
    y[1] = add_scaled(kFar, p.far_difference, scaled(kNear, p.near_difference));
    y[2] = add_scaled(kFar2, p.far_sum, scaled(kNear2, p.near_sum));
    y[3] = add_scaled(kFar3, p.far_difference, add_scaled(kNear3, p.near_difference, last));
  }
};

/// Computes three weights from six coefficients.
struct WeightGradientTransform {
  static constexpr int kIn = 6, kOut = 3;
  static HWY_INLINE void run(const V* x, V* y) {
    const OppositePoints p(x);
    const V last = x[5];
    y[0] = hn::Add(hn::Add(x[0], p.near_sum), p.far_sum);
    y[1] = add_scaled(kFar, p.far_difference, scaled(kNear, p.near_difference));
    y[2] = add_scaled(kFar2, p.far_sum, add_scaled(kNear2, p.near_sum, last));
  }
};

/// Applies a transform to both dimensions of a tile. `load(y, x)` returns an element of the kIn x
/// kIn input, `store(y, x, v)` receives the elements of the kOut x kOut result.
template <class Transform, class Load, class Store>
HWY_INLINE void transform_tile(const Load& load, const Store& store) {
  constexpr int in = Transform::kIn, out = Transform::kOut;
  V half[out][in];
  HWY_UNROLL(6)
  for (int x = 0; x < in; ++x) {
    V from[in], to[out];
    HWY_UNROLL(6)
    for (int y = 0; y < in; ++y) from[y] = load(y, x);
    Transform::run(from, to);
    HWY_UNROLL(6)
    for (int y = 0; y < out; ++y) half[y][x] = to[y];
  }
  HWY_UNROLL(6)
  for (int y = 0; y < out; ++y) {
    V to[out];
    Transform::run(half[y], to);
    HWY_UNROLL(6)
    for (int x = 0; x < out; ++x) store(y, x, to[x]);
  }
}

/// Transforms a tile of pixels of `channels` channels, a multiple of the vector length: pixel (y,
/// x) is at `pixels[y * kIn + x]`, coefficient i is stored at `out + i * stride`.
template <class Transform> HWY_INLINE void transform_pixels(const float* const* pixels,
                                                            std::int64_t channels, float* out,
                                                            std::int64_t stride) {
  const D d;
  for (std::int64_t c = 0; c < channels; c += static_cast<std::int64_t>(hn::Lanes(d)))
    transform_tile<Transform>(
        [&](int y, int x) HWY_ATTR { return hn::LoadU(d, pixels[y * Transform::kIn + x] + c); },
        [&](int y, int x, V v)
            HWY_ATTR { hn::StoreU(v, d, out + (y * Transform::kOut + x) * stride + c); });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_winograd
HWY_AFTER_NAMESPACE();
#endif
