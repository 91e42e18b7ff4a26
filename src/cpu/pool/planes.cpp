#include "cpu/pool/planes.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu/pool/window.h"
#include "cpu/threads.h"

namespace taper::cpu::planes {
namespace {

// Calls f(plane, i, j, rows, columns, output offset) for every window, in parallel over planes.
template <class F> void for_each_window(const Pool2d& p, F&& f) {
  const std::int64_t plane_size = p.ho * p.wo, grain = 1 + 32768 / (1 + plane_size * p.kh * p.kw);
  std::vector<Span> columns;
  columns.reserve(static_cast<std::size_t>(p.wo));
  for (std::int64_t j = 0; j < p.wo; ++j) columns.push_back(columns_of(p, j));
  parallel_for(0, p.n * p.c, grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t plane = b; plane < e; ++plane)
      for (std::int64_t i = 0; i < p.ho; ++i) {
        const Span rows = rows_of(p, i);
        const Span* column = columns.data();
        for (std::int64_t j = 0; j < p.wo; ++j)
          f(plane, i, j, rows, *column++, plane * plane_size + i * p.wo + j);
      }
  });
}

/// Position of an element within its window.
struct Tap {
  std::int64_t row, column;
};
/// Returns the positions by row-major index, so that no division is needed per window.
std::vector<Tap> taps_of(const Pool2d& p) {
  std::vector<Tap> taps;
  for (std::int64_t r = 0; r < p.kh; ++r)
    for (std::int64_t c = 0; c < p.kw; ++c) taps.push_back({r, c});
  return taps;
}

/// Returns the sum of n elements, of which independent partial sums are added up.
float sum_of(const float* x, std::int64_t n) {
  constexpr std::int64_t kPartial = 8;
  float total = 0;
  std::int64_t i = 0;
  if (n >= 2 * kPartial) {
    float partial[kPartial] = {};
    for (; i + kPartial <= n; i += kPartial)
      for (std::int64_t k = 0; k < kPartial; ++k) partial[k] += x[i + k];
    for (const float one : partial) total += one;
  }
  for (; i < n; ++i) total += x[i];
  return total;
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
  constexpr bool by_tap = std::is_same_v<Index, std::uint8_t>;
  const std::vector<Tap> taps = by_tap ? taps_of(p) : std::vector<Tap>();
  for_each_window(p, [&](std::int64_t plane, std::int64_t, std::int64_t, Span rows, Span columns,
                         std::int64_t at) {
    if (rows.count == 0 || columns.count == 0) return;
    std::int64_t element = static_cast<std::int64_t>(indices[at]);
    if constexpr (by_tap) {
      if (element >= std::ssize(taps)) return;
      const Tap& tap = taps[static_cast<std::size_t>(element)];
      const std::int64_t r = tap.row - rows.first, c = tap.column - columns.first;
      // Positions outside of the input contribute nothing.
      if (r < 0 || r >= rows.count || c < 0 || c >= columns.count) return;
      element = (rows.begin + r * p.dh) * p.w + columns.begin + c * p.dw;
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
      sum += sum_of(from + r * p.w + columns.begin, columns.count);
    y[at] = rows.count == 0 || columns.count == 0 ? 0.0f
                                                  : sum / divisor_of(p, rule, i, j, rows, columns);
  });
}

void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx) {
  std::fill_n(dx, p.n * p.c * p.h * p.w, 0.0f);
  for_each_window(p, [&](std::int64_t plane, std::int64_t i, std::int64_t j, Span rows,
                         Span columns, std::int64_t at) {
    if (rows.count == 0 || columns.count == 0) return;
    float* const to = dx + plane * p.h * p.w;
    const float share = dy[at] / divisor_of(p, rule, i, j, rows, columns);
    for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
      for (std::int64_t c = columns.begin; c < columns.begin + columns.count; ++c)
        to[r * p.w + c] += share;
  });
}

}  // namespace taper::cpu::planes
