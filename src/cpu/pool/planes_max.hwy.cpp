// Maxima of windows of row-major planes and their gradients: vectors of adjacent windows.
#include <limits>
#include <type_traits>

#include "cpu/pool/plane_rows.h"
#include "cpu/pool/planes.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pool/planes_max.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/pool/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace max_of_planes {
using namespace planes;

constexpr float kLowest = -std::numeric_limits<float>::infinity();
template <class Index> constexpr bool by_tap = std::is_same_v<Index, std::uint8_t>;

/// Computes one output row of adjacent windows, whose input rows are `row`. `first` holds, for each
/// window, the index of its first element within the input along the row.
template <int S, bool WithIndices, class Index>
void max_by_taps(const Pool2d& p, const Span& rows, const float* const* row,
                 const std::int32_t* first, float* y, Index* indices) {
  const DF d;
  const DI di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto nth = [](std::int64_t i)
                       HWY_ATTR { return hn::Set(DI(), static_cast<std::int32_t>(i)); };
  const auto base = nth(by_tap<Index> ? rows.first * p.kw : rows.begin * p.w);
  for (std::int64_t j = 0; j < p.wo; j += lanes) {
    auto best = hn::Set(d, kLowest);
    // Padding is never greater than the maximum, so that the index remains that of an element.
    auto index = WithIndices ? hn::Add(base, hn::LoadU(di, first + j)) : base;
    auto step = hn::Zero(di);
    if (WithIndices && !by_tap<Index>) {
      step = hn::Add(nth(j), hn::Iota(di, 0));
      if (S == 2) step = hn::Add(step, step);
    }
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const float* const from = row[r] + j * S;
      const std::int64_t start =
          by_tap<Index> ? (rows.first + r) * p.kw : (rows.begin + r * p.dh) * p.w - p.pw;
      for (std::int64_t k = 0; k < p.kw; ++k) {
        const auto v = load_every<S>(from + k);
        const auto better = hn::Or(hn::Gt(v, best), hn::IsNaN(v));
        best = hn::IfThenElse(better, v, best);
        if constexpr (WithIndices)
          index = hn::IfThenElse(hn::RebindMask(di, better), hn::Add(step, nth(start + k)), index);
      }
    }
    const auto n = static_cast<std::size_t>(std::min(lanes, p.wo - j));
    store_lanes(best, y + j, n);
    if constexpr (WithIndices) store_indices(index, indices + j, n);
  }
}

/// Maxima of the columns of one window row, and their indices h * W + w.
struct ColumnMaxima {
  float* values;
  std::int32_t* at;
};

void max_of_columns(const Pool2d& p, const Span& rows, const float* plane, const ColumnMaxima& to) {
  const DF d;
  const DI di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t c = 0; c < p.w; c += lanes) {
    const auto n = static_cast<std::size_t>(std::min(lanes, p.w - c));
    const std::int64_t start = rows.begin * p.w + c;
    auto best = load_lanes(plane + start, n);
    auto row = hn::Set(di, static_cast<std::int32_t>(start));
    for (std::int64_t r = 1; r < rows.count; ++r) {
      const std::int64_t element = start + r * p.dh * p.w;
      const auto v = load_lanes(plane + element, n);
      const auto better = hn::Or(hn::Gt(v, best), hn::IsNaN(v));
      best = hn::IfThenElse(better, v, best);
      row = hn::IfThenElse(hn::RebindMask(di, better),
                           hn::Set(di, static_cast<std::int32_t>(element)), row);
    }
    // Both have a whole number of vectors.
    hn::StoreU(best, d, to.values + c);
    hn::StoreU(hn::Add(row, hn::Iota(di, 0)), di, to.at + c);
  }
}

/// Returns the index of the maximum of adjacent columns: of the first of equal ones, of the last
/// NaN.
std::int32_t max_of_adjacent(const float* v, const std::int32_t* at, std::int64_t count) {
  const DF d;
  const DI di;
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto load = [&](std::int64_t c) HWY_ATTR {
    return count < lanes ? load_n_or(d, v, static_cast<std::size_t>(count), kLowest)
                         : hn::LoadU(d, v + c);
  };
  const auto load_index = [&](std::int64_t c) HWY_ATTR {
    return count < lanes ? load_n_or(di, at, static_cast<std::size_t>(count), kNone)
                         : hn::LoadU(di, at + c);
  };
  // The last vector overlaps the one before.
  const auto for_each_further_vector = [&](auto&& f) HWY_ATTR {
    for (std::int64_t c = lanes; c + lanes <= count; c += lanes) f(c);
    if (count > lanes) f(count - lanes);
  };
  auto max = load(0);
  auto has_nan = hn::IsNaN(max);
  for_each_further_vector([&](std::int64_t c) HWY_ATTR {
    const auto e = load(c);
    has_nan = hn::Or(has_nan, hn::IsNaN(e));
    max = hn::Max(max, e);
  });
  if (!hn::AllFalse(d, has_nan)) {
    std::int32_t last = -1;
    for (std::int64_t c = 0; c < count; ++c)
      if (v[c] != v[c]) last = std::max(last, at[c]);
    return last;
  }
  const auto best = hn::MaxOfLanes(d, max);
  if (count <= lanes) {
    const auto is_best = hn::Eq(load(0), best);
    if (hn::CountTrue(d, is_best) == 1) return at[hn::FindFirstTrue(d, is_best)];
  }
  const auto none = hn::Set(di, kNone);
  const auto index_of_best = [&](std::int64_t c) HWY_ATTR {
    return hn::IfThenElse(hn::RebindMask(di, hn::Eq(load(c), best)), load_index(c), none);
  };
  auto first = index_of_best(0);
  for_each_further_vector([&](std::int64_t c)
                              HWY_ATTR { first = hn::Min(first, index_of_best(c)); });
  return hn::GetLane(hn::MinOfLanes(di, first));
}

/// As max_of_adjacent, for columns `dilation` apart.
std::int32_t max_of_spaced(const float* v, const std::int32_t* at, std::int64_t count,
                           std::int64_t dilation) {
  float best = v[0];
  std::int32_t index = at[0];
  for (std::int64_t k = 1; k < count; ++k) {
    const float e = v[k * dilation];
    const std::int32_t i = at[k * dilation];
    // Selects instead of branching, because random data mispredict half of the branches.
    const bool is_nan = e != e, has_nan = best != best;
    const bool better =
        static_cast<int>(e > best) | (static_cast<int>(e == best) & static_cast<int>(i < index)) |
        (static_cast<int>(is_nan) & (static_cast<int>(!has_nan) | static_cast<int>(i > index)));
    best = better ? e : best;
    index = better ? i : index;
  }
  return index;
}

/// Computes one output row of windows of any kind: first the maxima of their columns.
template <class Index> void max_by_columns(const Pool2d& p, const Span& rows,
                                           const std::vector<Span>& columns, const float* plane,
                                           const ColumnMaxima& maxima, float* y, Index* indices) {
  if (rows.count > 0) max_of_columns(p, rows, plane, maxima);
  for (std::int64_t j = 0; j < p.wo; ++j) {
    const Span& c = columns[static_cast<std::size_t>(j)];
    if (rows.count == 0 || c.count == 0) {
      y[j] = kLowest;
      if (indices != nullptr) indices[j] = static_cast<Index>(by_tap<Index> ? 255 : -1);
      continue;
    }
    const float* const v = maxima.values + c.begin;
    const std::int32_t* const at = maxima.at + c.begin;
    constexpr std::int64_t kMinAdjacent = 4;
    const std::int64_t index = p.dw == 1 && c.count >= kMinAdjacent
                                   ? max_of_adjacent(v, at, c.count)
                                   : max_of_spaced(v, at, c.count, p.dw);
    y[j] = plane[index];
    if (indices == nullptr) continue;
    if constexpr (by_tap<Index>) {
      const std::int64_t r = (index / p.w - rows.begin) / p.dh + rows.first,
                         k = (index % p.w - c.begin) / p.dw + c.first;
      indices[j] = static_cast<Index>(r * p.kw + k);
    } else {
      indices[j] = index;
    }
  }
}

template <class Index> void forward(const Pool2d& p, const float* x, float* y, Index* indices) {
  constexpr std::int64_t kMaxRows = 16, kRows = 8;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::vector<Span> columns = spans_of_columns(p);
  const bool use_taps = has_vector_windows(p, kMaxRows) && p.kh <= kMaxRows;
  const std::int64_t width = round_up(p.w, lanes), outputs = round_up(p.wo, lanes);
  const float* const end = x + p.n * p.c * p.h * p.w;
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.wo * p.kh * p.kw);
  parallel_for(0, p.n * p.c * p.ho, grain, [&](std::int64_t b, std::int64_t e) {
    std::optional<PaddedRows> padded;
    const Scratch integers(static_cast<std::size_t>(std::max(kRows * width, outputs)) *
                           sizeof(std::int32_t));
    const Scratch values(static_cast<std::size_t>(kRows * width) * sizeof(float));
    auto* const at = integers.as<std::int32_t>();
    if (use_taps) {
      padded.emplace(p, lanes, p.kh, kLowest, end);
      std::fill_n(at, outputs, 0);
      for (std::int64_t j = 0; j < p.wo; ++j) {
        const Span& c = columns[static_cast<std::size_t>(j)];
        at[j] = static_cast<std::int32_t>(by_tap<Index> ? c.first : c.begin);
      }
    }
    const auto span_of_row = [&](std::int64_t row) { return rows_of(p, row % p.ho); };
    const auto plane_of_row = [&](std::int64_t row) { return x + row / p.ho * p.h * p.w; };
    const auto indices_of_row = [&](std::int64_t row) {
      return indices == nullptr ? nullptr : indices + row * p.wo;
    };
    if (!use_taps) {
      // Some rows at a time, so that maxima are not read just after they were stored.
      for (std::int64_t first = b; first < e; first += kRows) {
        const std::int64_t last = std::min(first + kRows, e);
        const auto maxima_of_row = [&](std::int64_t row) {
          return ColumnMaxima{values.as<float>() + (row - first) * width,
                              at + (row - first) * width};
        };
        for (std::int64_t row = first; row < last; ++row)
          if (const Span rows = span_of_row(row); rows.count > 0)
            max_of_columns(p, rows, plane_of_row(row), maxima_of_row(row));
        for (std::int64_t row = first; row < last; ++row)
          max_by_columns(p, span_of_row(row), columns, plane_of_row(row), maxima_of_row(row),
                         y + row * p.wo, indices_of_row(row));
      }
      return;
    }
    const auto run =
        p.sw == 1
            ? (indices == nullptr ? max_by_taps<1, false, Index> : max_by_taps<1, true, Index>)
            : (indices == nullptr ? max_by_taps<2, false, Index> : max_by_taps<2, true, Index>);
    for (std::int64_t row = b; row < e; ++row) {
      const Span rows = span_of_row(row);
      const float* const plane = plane_of_row(row);
      const float* from[kMaxRows];
      for (std::int64_t r = 0; r < rows.count; ++r)
        from[r] = padded->padded(plane + (rows.begin + r * p.dh) * p.w, r);
      run(p, rows, from, at, y + row * p.wo, indices_of_row(row));
    }
  });
}

/// Gradient of windows of two columns that tile the input: writes every element once.
void backward_of_pairs(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx) {
  const DF d;
  const DI di;
  const hn::Rebind<std::uint8_t, DI> du;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < p.h; ++i) {
    const std::int64_t tap = i % p.kh * 2, row = i / p.kh * p.wo;
    const auto even = hn::Set(di, static_cast<std::int32_t>(tap)),
               odd = hn::Set(di, static_cast<std::int32_t>(tap + 1));
    float* const to = dx + i * p.w;
    std::int64_t j = 0;
    for (; j + lanes <= p.wo; j += lanes) {
      const auto g = hn::LoadU(d, dy + row + j);
      const auto t = hn::PromoteTo(di, hn::LoadU(du, taps + row + j));
      hn::StoreInterleaved2(hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(t, even)), g),
                            hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(t, odd)), g), d,
                            to + 2 * j);
    }
    for (; j < p.wo; ++j) {
      const float g = dy[row + j];
      to[2 * j] = taps[row + j] == tap ? g : 0.0f;
      to[2 * j + 1] = taps[row + j] == tap + 1 ? g : 0.0f;
    }
  }
}

/// Adds the gradients of one plane by the positions of the maxima within their windows.
void add_by_taps(const Pool2d& p, const std::vector<Span>& columns,
                 const std::vector<std::int64_t>& offsets, const float* dy,
                 const std::uint8_t* taps, float* dx) {
  for (std::int64_t i = 0; i < p.ho; ++i) {
    const Span rows = rows_of(p, i);
    const bool rows_inside = rows.count == p.kh;
    for (std::int64_t j = 0; j < p.wo; ++j) {
      const std::size_t tap = taps[i * p.wo + j];
      if (tap >= offsets.size()) continue;
      const Span& c = columns[static_cast<std::size_t>(j)];
      std::int64_t element = rows.begin * p.w + c.begin + offsets[tap];
      if (!rows_inside || c.count != p.kw) {
        // Positions outside of the input contribute nothing.
        const std::int64_t r = static_cast<std::int64_t>(tap) / p.kw - rows.first,
                           k = static_cast<std::int64_t>(tap) % p.kw - c.first;
        if (r < 0 || r >= rows.count || k < 0 || k >= c.count) continue;
        element = (rows.begin + r * p.dh) * p.w + c.begin + k * p.dw;
      }
      dx[element] += dy[i * p.wo + j];
    }
  }
}

template <class Index>
void backward(const Pool2d& p, const float* dy, const Index* indices, float* dx) {
  const std::int64_t windows = p.ho * p.wo, elements = p.h * p.w;
  const std::int64_t grain = 1 + kMinPoolWork / (1 + elements);
  const bool use_pairs = by_tap<Index> && !p.adaptive && p.kw == 2 && windows_tile_input(p);
  std::vector<Span> columns;
  std::vector<std::int64_t> offsets;  // of the elements of a window from the first one
  if (by_tap<Index> && !use_pairs) {
    columns = spans_of_columns(p);
    for (std::int64_t r = 0; r < p.kh; ++r)
      for (std::int64_t c = 0; c < p.kw; ++c) offsets.push_back(r * p.dh * p.w + c * p.dw);
  }
  parallel_for(0, p.n * p.c, grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t plane = b; plane < e; ++plane) {
      const float* const from = dy + plane * windows;
      const Index* const at = indices + plane * windows;
      float* const to = dx + plane * elements;
      if constexpr (by_tap<Index>) {
        if (use_pairs) {
          backward_of_pairs(p, from, at, to);
          continue;
        }
        std::fill_n(to, elements, 0.0f);
        add_by_taps(p, columns, offsets, from, at, to);
      } else {
        std::fill_n(to, elements, 0.0f);
        for (std::int64_t i = 0; i < windows; ++i)
          if (at[i] >= 0) to[at[i]] += from[i];
      }
    }
  });
}

void forward_i64(const Pool2d& p, const float* x, float* y, std::int64_t* indices) {
  forward(p, x, y, indices);
}
void forward_u8(const Pool2d& p, const float* x, float* y, std::uint8_t* taps) {
  forward(p, x, y, taps);
}
void backward_i64(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx) {
  backward(p, dy, indices, dx);
}
void backward_u8(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx) {
  backward(p, dy, taps, dx);
}

}  // namespace max_of_planes
using max_of_planes::backward_i64;
using max_of_planes::backward_u8;
using max_of_planes::forward_i64;
using max_of_planes::forward_u8;
}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {
HWY_EXPORT(forward_i64);
HWY_EXPORT(forward_u8);
HWY_EXPORT(backward_i64);
HWY_EXPORT(backward_u8);

namespace planes {

void max_forward(const Pool2d& p, const float* x, float* y, std::int64_t* indices) {
  HWY_DYNAMIC_DISPATCH(forward_i64)(p, x, y, indices);
}
void max_forward(const Pool2d& p, const float* x, float* y, std::uint8_t* taps) {
  HWY_DYNAMIC_DISPATCH(forward_u8)(p, x, y, taps);
}
void max_backward(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx) {
  HWY_DYNAMIC_DISPATCH(backward_i64)(p, dy, indices, dx);
}
void max_backward(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx) {
  HWY_DYNAMIC_DISPATCH(backward_u8)(p, dy, taps, dx);
}

}  // namespace planes
}  // namespace taper::cpu
#endif
