// Resampling of bytes by integer weights.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/spatial/resample_taps.h"

namespace taper::resample {

/// Integer weights of adjacent elements: output o is the sum over k of weight[k][o] *
/// input[first[o] + k], rounded to `bits` fewer bits and clamped to [0, 255].
struct ByteTaps {
  static constexpr std::int64_t kPadding = 64;  ///< outputs that follow the last one, of weight 0

  std::int64_t out = 0, count = 0;     ///< outputs, and weights per output, a multiple of 4
  int bits = 0;                        ///< fractional bits of the weights
  std::vector<std::int32_t> first{};   ///< (out + padding)
  std::vector<std::int32_t> weight{};  ///< (count, out + padding)
  std::vector<std::int32_t> used{};    ///< number of weights of an output that are not padding
  std::int64_t width() const { return out + kPadding; }
};

/// Returns the weights that quantize() computed in `taps`. Returns no outputs if sums or indices of
/// 32 bits could overflow.
ByteTaps byte_taps(const Taps& taps, int bits);

/// Computes y(lines, out) from x(lines, in).
void resample_byte_lines(const ByteTaps& taps, std::int64_t lines, std::int64_t in,
                         const std::uint8_t* x, std::uint8_t* y);
/// Computes y(outer, out, inner) from x(outer, in, inner).
void resample_byte_rows(const ByteTaps& taps, std::int64_t outer, std::int64_t in,
                        std::int64_t inner, const std::uint8_t* x, std::uint8_t* y);

}  // namespace taper::resample
