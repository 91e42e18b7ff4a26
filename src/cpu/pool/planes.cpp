#include "cpu/pool/planes.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "cpu/pool/window.h"
#include "cpu/threads.h"

namespace taper::cpu::planes {
namespace {

// Calls f(plane, i, j, rows, columns, output offset) for every window, in parallel over planes.
template <class F> void for_each_window(const Pool2d& p, F&& f) {
  const std::int64_t plane_size = p.ho * p.wo, grain = 1 + 32768 / (1 + plane_size * p.kh * p.kw);
  parallel_for(0, p.n * p.c, grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t plane = b; plane < e; ++plane)
      for (std::int64_t i = 0; i < p.ho; ++i)
        for (std::int64_t j = 0; j < p.wo; ++j)
          f(plane, i, j, rows_of(p, i), columns_of(p, j), plane * plane_size + i * p.wo + j);
  });
}

}  // namespace

template <class Index> void max_forward(const Pool2d& p, const float* x, float* y, Index* indices) {
  for_each_window(p, [&](std::int64_t plane, std::int64_t, std::int64_t, Span rows, Span columns,
                         std::int64_t at) {
    const float* const from = x + plane * p.h * p.w;
    constexpr bool by_tap = std::is_same_v<Index, std::uint8_t>;
    float best = -std::numeric_limits<float>::infinity();
    std::int64_t index = by_tap ? 255 : -1;
    const std::int64_t start = rows.begin * p.w + columns.begin;
    if (rows.count > 0 && columns.count > 0) {
      best = from[start];
      index = by_tap ? rows.first * p.kw + columns.first : start;
    }
    for (std::int64_t r = 0; r < rows.count; ++r)
      for (std::int64_t c = r == 0 ? 1 : 0; c < columns.count; ++c) {
        const std::int64_t element = start + r * p.dh * p.w + c * p.dw;
        const std::int64_t tap = (rows.first + r) * p.kw + columns.first + c;
        const float v = from[element];
        // Selects instead of branching, because random data mispredict half of the branches.
        const bool better = static_cast<int>(v > best) | static_cast<int>(v != v);
        best = better ? v : best;
        index = better ? (by_tap ? tap : element) : index;
      }
    y[at] = best;
    if (indices != nullptr) indices[at] = static_cast<Index>(index);
  });
}
template void max_forward(const Pool2d&, const float*, float*, std::int64_t*);
template void max_forward(const Pool2d&, const float*, float*, std::uint8_t*);

template <class Index>
void max_backward(const Pool2d& p, const float* dy, const Index* indices, float* dx) {
  std::fill_n(dx, p.n * p.c * p.h * p.w, 0.0f);
  for_each_window(p, [&](std::int64_t plane, std::int64_t i, std::int64_t j, Span rows,
                         Span columns, std::int64_t at) {
    if (rows.count == 0 || columns.count == 0) return;
    std::int64_t element = static_cast<std::int64_t>(indices[at]);
    if constexpr (std::is_same_v<Index, std::uint8_t>) {
      // Positions outside of the input contribute nothing.
      const std::int64_t r = element / p.kw, c = element % p.kw;
      if (r < rows.first || r >= rows.first + rows.count || c < columns.first ||
          c >= columns.first + columns.count)
        return;
      element = (i * p.sh - p.ph + r * p.dh) * p.w + j * p.sw - p.pw + c * p.dw;
    }
    dx[plane * p.h * p.w + element] += dy[at];
  });
}
template void max_backward(const Pool2d&, const float*, const std::int64_t*, float*);
template void max_backward(const Pool2d&, const float*, const std::uint8_t*, float*);

void avg_forward(const Pool2d& p, const AvgRule& rule, const float* x, float* y) {
  for_each_window(p, [&](std::int64_t plane, std::int64_t i, std::int64_t j, Span rows,
                         Span columns, std::int64_t at) {
    const float* const from = x + plane * p.h * p.w;
    float sum = 0;
    for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
      for (std::int64_t c = columns.begin; c < columns.begin + columns.count; ++c)
        sum += from[r * p.w + c];
    y[at] = rows.count == 0 || columns.count == 0 ? 0.0f : sum / divisor_of(p, rule, i, j);
  });
}

void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx) {
  std::fill_n(dx, p.n * p.c * p.h * p.w, 0.0f);
  for_each_window(p, [&](std::int64_t plane, std::int64_t i, std::int64_t j, Span rows,
                         Span columns, std::int64_t at) {
    if (rows.count == 0 || columns.count == 0) return;
    float* const to = dx + plane * p.h * p.w;
    const float share = dy[at] / divisor_of(p, rule, i, j);
    for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
      for (std::int64_t c = columns.begin; c < columns.begin + columns.count; ++c)
        to[r * p.w + c] += share;
  });
}

}  // namespace taper::cpu::planes
