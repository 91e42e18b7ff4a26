#include "ops/spatial/sample_image.h"

#include <algorithm>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/spatial/sample_image.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::grid {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = taper::cpu::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

/// The two pixels along one axis between which points are, their weights, and the derivative of the
/// position with respect to the coordinate.
struct AxisTaps {
  V pixel[2], weight[2], slope;
  M is_inside[2];
};

HWY_INLINE AxisTaps taps_of(const ImageSampling& s, std::int64_t size, V x) {
  const D d;
  const V one = hn::Set(d, 1.0f), half = hn::Set(d, 0.5f), zero = hn::Zero(d);
  const V n = hn::Set(d, static_cast<float>(size)), last = hn::Set(d, static_cast<float>(size - 1));
  AxisTaps t;
  V at = hn::Add(x, one);
  if (s.align_corners) {
    at = hn::Mul(hn::Mul(at, half), last);
    t.slope = hn::Mul(last, half);
  } else {
    at = hn::Mul(hn::Sub(hn::Mul(at, n), one), half);
    t.slope = hn::Mul(n, half);
  }
  if (s.border) {
    const M above = hn::Gt(at, zero), below = hn::Lt(at, last);
    t.slope = hn::IfThenElseZero(hn::And(above, below), t.slope);
    at = hn::IfThenElseZero(above, hn::IfThenElse(below, at, last));
  }
  const V low = hn::Floor(at), high = hn::Add(low, one);
  t.pixel[0] = low, t.pixel[1] = high;
  t.weight[0] = hn::Sub(high, at), t.weight[1] = hn::Sub(at, low);
  // False for NaN and for numbers that do not fit an integer.
  for (int k = 0; k < 2; ++k)
    t.is_inside[k] = hn::And(hn::Ge(t.pixel[k], zero), hn::Le(t.pixel[k], last));
  return t;
}

/// The four pixels around each of the points of a vector.
struct PointTaps {
  AxisTaps x, y;
  hn::Vec<DI> offset[4];
  V weight[4];
  M is_inside[4];

  PointTaps(const ImageSampling& s, const float* grid, std::size_t n) {
    const D d;
    const DI di;
    HWY_ALIGN float coordinates[2 * hn::MaxLanes(D())];
    V px, py;
    if (n < hn::Lanes(d)) {
      std::fill_n(coordinates, 2 * hn::Lanes(d), 0.0f);
      std::copy_n(grid, 2 * n, coordinates);
      hn::LoadInterleaved2(d, coordinates, px, py);
    } else {
      hn::LoadInterleaved2(d, grid, px, py);
    }
    x = taps_of(s, s.width, px), y = taps_of(s, s.height, py);
    const auto row = hn::Set(di, static_cast<std::int32_t>(s.width));
    for (int k = 0; k < 4; ++k) {
      const int i = k % 2, j = k / 2;
      is_inside[k] = hn::And(x.is_inside[i], y.is_inside[j]);
      weight[k] = hn::Mul(x.weight[i], y.weight[j]);
      const auto column = hn::ConvertTo(di, hn::IfThenElseZero(is_inside[k], x.pixel[i]));
      const auto line = hn::ConvertTo(di, hn::IfThenElseZero(is_inside[k], y.pixel[j]));
      offset[k] = hn::Add(hn::Mul(line, row), column);
    }
  }
  /// Loads pixel k of each point from a plane; 0 outside of the image.
  HWY_INLINE V load(const float* plane, int k) const {
    return hn::IfThenElseZero(is_inside[k], hn::GatherIndex(D(), plane, offset[k]));
  }
};

}  // namespace

void sample_points(const ImageSampling& s, const float* image, const float* grid, float* out,
                   std::int64_t begin, std::int64_t end) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = begin; i < end; i += lanes) {
    const auto n = static_cast<std::size_t>(std::min(lanes, end - i));
    const PointTaps taps(s, grid + 2 * i, n);
    for (std::int64_t c = 0; c < s.channels; ++c) {
      const float* const plane = image + c * s.height * s.width;
      V sum = hn::Mul(taps.load(plane, 0), taps.weight[0]);
      // A weight of a pixel outside may be infinite or NaN.
      sum = hn::IfThenElseZero(taps.is_inside[0], sum);
      for (int k = 1; k < 4; ++k)
        sum = hn::Add(sum, hn::IfThenElseZero(taps.is_inside[k],
                                              hn::Mul(taps.load(plane, k), taps.weight[k])));
      float* const to = out + c * s.points + i;
      if (n == hn::Lanes(d))
        hn::StoreU(sum, d, to);
      else
        simd::store_n(sum, d, to, n);
    }
  }
}

void differentiate_points(const ImageSampling& s, const float* grad, const float* image,
                          const float* grid, float* grad_image, float* grad_grid) {
  const D d;
  const DI di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto none = hn::Set(di, -1);
  HWY_ALIGN std::int32_t offsets[4][hn::MaxLanes(DI())];
  HWY_ALIGN float terms[4][hn::MaxLanes(D())], slopes[2 * hn::MaxLanes(D())];
  for (std::int64_t i = 0; i < s.points; i += lanes) {
    const auto n = static_cast<std::size_t>(std::min(lanes, s.points - i));
    const PointTaps taps(s, grid + 2 * i, n);
    for (int k = 0; k < 4; ++k)
      hn::Store(hn::IfThenElse(hn::RebindMask(di, taps.is_inside[k]), taps.offset[k], none), di,
                offsets[k]);
    V slope_x = hn::Zero(d), slope_y = slope_x;
    for (std::int64_t c = 0; c < s.channels; ++c) {
      const float* const plane = image + c * s.height * s.width;
      float* const to = grad_image + c * s.height * s.width;
      const V g = n == hn::Lanes(d) ? hn::LoadU(d, grad + c * s.points + i)
                                    : simd::load_n(d, grad + c * s.points + i, n);
      V v[4];
      for (int k = 0; k < 4; ++k) {
        v[k] = taps.load(plane, k);
        hn::Store(hn::Mul(g, taps.weight[k]), d, terms[k]);
      }
      for (std::size_t p = 0; p < n; ++p)
        for (int k = 0; k < 4; ++k)
          if (offsets[k][p] >= 0) to[offsets[k][p]] += terms[k][p];
      const V across = hn::Add(hn::Mul(hn::Sub(v[1], v[0]), taps.y.weight[0]),
                               hn::Mul(hn::Sub(v[3], v[2]), taps.y.weight[1]));
      const V down = hn::Add(hn::Mul(hn::Sub(v[2], v[0]), taps.x.weight[0]),
                             hn::Mul(hn::Sub(v[3], v[1]), taps.x.weight[1]));
      slope_x = hn::MulAdd(g, across, slope_x), slope_y = hn::MulAdd(g, down, slope_y);
    }
    // Points without a pixel inside have no gradient, although their weights may be infinite.
    M any = taps.is_inside[0];
    for (int k = 1; k < 4; ++k) any = hn::Or(any, taps.is_inside[k]);
    hn::StoreInterleaved2(hn::IfThenElseZero(any, hn::Mul(slope_x, taps.x.slope)),
                          hn::IfThenElseZero(any, hn::Mul(slope_y, taps.y.slope)), d, slopes);
    std::copy_n(slopes, 2 * n, grad_grid + 2 * i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::grid {
HWY_EXPORT(sample_points);
HWY_EXPORT(differentiate_points);

void sample_image(const ImageSampling& s, const float* image, const float* grid, float* out,
                  std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(sample_points)(s, image, grid, out, begin, end);
}
void sample_image_backward(const ImageSampling& s, const float* grad, const float* image,
                           const float* grid, float* grad_image, float* grad_grid) {
  HWY_DYNAMIC_DISPATCH(differentiate_points)(s, grad, image, grid, grad_image, grad_grid);
}

}  // namespace taper::grid
#endif
