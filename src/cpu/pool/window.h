// Windows of pooling, cut to the input.
#pragma once
#include <algorithm>
#include <cstdint>

#include "cpu/pool/pool.h"

namespace taper::cpu {

/// Elements of one window along one dimension that are within the input: `count` elements from
/// `begin` on, a dilation apart. `first` is the index of the first one within the whole window.
struct Span {
  std::int64_t begin, count, first;
};

/// Returns the part within the input, of size `size`, of the window of output `out`.
inline Span span_of(std::int64_t out, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding, std::int64_t dilation) {
  const std::int64_t start = out * stride - padding;
  if (dilation == 1) {  // avoids divisions: this runs once per window
    const std::int64_t first = start < 0 ? -start : 0, begin = start + first;
    return {begin, std::max<std::int64_t>(std::min(kernel - first, size - begin), 0), first};
  }
  const std::int64_t first = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const std::int64_t begin = start + first * dilation;
  const std::int64_t taps = begin < size ? (size - begin + dilation - 1) / dilation : 0;
  return {begin, std::clamp<std::int64_t>(taps, 0, std::max<std::int64_t>(kernel - first, 0)),
          first};
}
/// Returns region `out` of `count` regions that divide `size` elements evenly.
inline Span region_of(std::int64_t out, std::int64_t size, std::int64_t count) {
  const std::int64_t begin = out * size / count;
  return {begin, ((out + 1) * size + count - 1) / count - begin, 0};
}
inline Span rows_of(const Pool2d& p, std::int64_t i) {
  return p.adaptive ? region_of(i, p.h, p.ho) : span_of(i, p.h, p.kh, p.sh, p.ph, p.dh);
}
inline Span columns_of(const Pool2d& p, std::int64_t j) {
  return p.adaptive ? region_of(j, p.w, p.wo) : span_of(j, p.w, p.kw, p.sw, p.pw, p.dw);
}

/// Returns the divisor of the sum of window (i, j), which consists of `rows` and `columns`. A
/// window that extends beyond the padding (ceil_mode) counts elements up to the end of the padding.
inline float divisor_of(const Pool2d& p, const AvgRule& rule, std::int64_t i, std::int64_t j,
                        const Span& rows, const Span& columns) {
  if (rule.divisor_override != 0) return static_cast<float>(rule.divisor_override);
  if (!rule.count_include_pad || p.adaptive) return static_cast<float>(rows.count * columns.count);
  const auto padded = [](std::int64_t out, std::int64_t size, std::int64_t kernel,
                         std::int64_t stride, std::int64_t padding) {
    const std::int64_t start = out * stride - padding;
    return std::min(start + kernel, size + padding) - start;
  };
  return static_cast<float>(padded(i, p.h, p.kh, p.sh, p.ph) * padded(j, p.w, p.kw, p.sw, p.pw));
}

/// Returns true if windows do not share elements.
inline bool has_disjoint_windows(const Pool2d& p) {
  if (p.adaptive) return p.h % p.ho == 0 && p.w % p.wo == 0;
  return p.sh >= (p.kh - 1) * p.dh + 1 && p.sw >= (p.kw - 1) * p.dw + 1;
}
/// Returns true if windows are disjoint and cover every element.
inline bool windows_tile_input(const Pool2d& p) {
  if (p.adaptive) return has_disjoint_windows(p);
  return p.sh == p.kh && p.sw == p.kw && p.dh == 1 && p.dw == 1 && p.ph == 0 && p.pw == 0 &&
         p.ho * p.sh == p.h && p.wo * p.sw == p.w;
}

}  // namespace taper::cpu
