#include "cpu/softmax/softmax.h"

#include <algorithm>
#include <limits>

#include "cpu/row_output.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/softmax/softmax.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/math-inl.h"
#include "cpu/softmax/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

template <class T> constexpr T kLowest = -std::numeric_limits<T>::infinity();

/// Number of rows whose sums are buffered, so that one vector logarithm serves many rows.
constexpr std::int64_t kRowsAtOnce = 64;

/// Computes rows [begin, end) of [rows, size], which are contiguous slices.
template <class T> void SoftmaxRows(std::int64_t begin, std::int64_t end, std::int64_t size,
                                    bool log, const T* x, const RowOutput<T>& y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t full_size = size / lanes * lanes;
  const auto tail = static_cast<std::size_t>(size - full_size);
  const auto lowest = hn::Set(d, kLowest<T>);
  HWY_ALIGN T top[kRowsAtOnce], total[kRowsAtOnce], buffer[RowOutput<T>::kMaxBuffered];
  // The rows remain in the first-level cache between the passes.
  const std::int64_t at_once =
      std::clamp<std::int64_t>(RowOutput<T>::kMaxBuffered / size, 1, kRowsAtOnce);
  for (std::int64_t first = begin; first < end; first += at_once) {
    const std::int64_t rows = std::min(at_once, end - first);
    T* const to = y.begin(first, buffer);
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* a = x + (first + r) * size;
      T* b = to + r * size;
      auto m = lowest;
      for (std::int64_t i = 0; i < full_size; i += lanes) m = hn::Max(m, hn::LoadU(d, a + i));
      if (tail) m = hn::Max(m, load_n_or(d, a + full_size, tail, kLowest<T>));
      m = hn::MaxOfLanes(d, m);
      auto s = hn::Zero(d);
      for (std::int64_t i = 0; i < full_size; i += lanes) {
        const auto e = vec_exp_nonpositive(d, hn::Sub(hn::LoadU(d, a + i), m));
        s = hn::Add(s, e);
        if (!log) hn::StoreU(e, d, b + i);
      }
      if (tail) {
        const auto e =
            vec_exp_nonpositive(d, hn::Sub(load_n_or(d, a + full_size, tail, kLowest<T>), m));
        s = hn::Add(s, hn::IfThenElseZero(hn::FirstN(d, tail), e));
        if (!log) store_n(e, d, b + full_size, tail);
      }
      top[r] = hn::GetLane(m);
      total[r] = hn::GetLane(hn::SumOfLanes(d, s));
    }
    for (std::int64_t r = rows; r % lanes != 0; ++r) total[r] = 1;
    for (std::int64_t r = 0; r < rows; r += lanes) {
      const auto s = hn::Load(d, total + r);
      hn::Store(log ? vec_log(d, s) : hn::Div(hn::Set(d, T{1}), s), d, total + r);
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* a = x + (first + r) * size;
      T* b = to + r * size;
      const auto m = hn::Set(d, top[r]), s = hn::Set(d, total[r]);
      // Computed as (x - max) - log(sum): max + log(sum) would lose digits of log(sum) if max is
      // large.
      if (log) {
        for (std::int64_t i = 0; i < full_size; i += lanes)
          hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, a + i), m), s), d, b + i);
        if (tail)
          store_n(hn::Sub(hn::Sub(load_n(d, a + full_size, tail), m), s), d, b + full_size, tail);
      } else {
        for (std::int64_t i = 0; i < full_size; i += lanes)
          hn::StoreU(hn::Mul(hn::LoadU(d, b + i), s), d, b + i);
        if (tail) store_n(hn::Mul(load_n(d, b + full_size, tail), s), d, b + full_size, tail);
      }
    }
    y.end(first, rows, to);
  }
  y.finish();
}

/// Number of adjacent slices that are computed together, so that each of their elements takes whole
/// cache lines: elements of one slice may be in the same set of the cache.
constexpr std::int64_t kMaxStrip = 128;

/// Vectors of a strip of `n` adjacent slices.
template <class T> struct Strip {
  using D = hn::ScalableTag<T>;
  std::int64_t n;

  /// Calls f(load, store) for each vector, where load(p) and store(v, p) access the
  /// elements of its slices.
  template <class F> HWY_INLINE void for_each_vector(F&& f) const {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      f([&](const T* p) HWY_ATTR { return hn::LoadU(d, p + i); },
        [&](auto v, T* p) HWY_ATTR { hn::StoreU(v, d, p + i); });
    if (i == n) return;
    const auto some = static_cast<std::size_t>(n - i);
    f([&](const T* p) HWY_ATTR { return load_n(d, p + i, some); },
      [&](auto v, T* p) HWY_ATTR { store_n(v, d, p + i, some); });
  }
};

/// Computes `n` adjacent slices, at most kMaxStrip, whose elements are `inner` apart.
template <class T> void SoftmaxStrided(std::int64_t size, std::int64_t inner, std::int64_t n,
                                       bool log, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN T top[kMaxStrip], total[kMaxStrip];
  std::fill_n(top, n, kLowest<T>);
  std::fill_n(total, n, T{0});
  const Strip<T> strip{n};
  for (std::int64_t c = 0; c < size; ++c)
    strip.for_each_vector([&](const auto& load, const auto& store)
                              HWY_ATTR { store(hn::Max(load(top), load(x + c * inner)), top); });
  for (std::int64_t c = 0; c < size; ++c)
    strip.for_each_vector([&](const auto& load, const auto& store) HWY_ATTR {
      const auto e = vec_exp_nonpositive(d, hn::Sub(load(x + c * inner), load(top)));
      store(hn::Add(load(total), e), total);
      if (!log) store(e, y + c * inner);
    });
  strip.for_each_vector([&](const auto& load, const auto& store) HWY_ATTR {
    store(log ? vec_log(d, load(total)) : hn::Div(hn::Set(d, T{1}), load(total)), total);
  });
  for (std::int64_t c = 0; c < size; ++c)
    strip.for_each_vector([&](const auto& load, const auto& store) HWY_ATTR {
      store(log ? hn::Sub(hn::Sub(load(x + c * inner), load(top)), load(total))
                : hn::Mul(load(y + c * inner), load(total)),
            y + c * inner);
    });
}

template <class T> void SoftmaxRowsBackward(std::int64_t begin, std::int64_t end, std::int64_t size,
                                            bool log, const T* g, const T* y,
                                            const RowOutput<T>& out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t full_size = size / lanes * lanes;
  const auto tail = static_cast<std::size_t>(size - full_size);
  HWY_ALIGN T buffer[RowOutput<T>::kMaxBuffered];
  for (std::int64_t r = begin; r < end; ++r) {
    const T *a = g + r * size, *b = y + r * size;
    T* c = out.begin(r, buffer);
    const auto term = [&](auto v, auto w) { return log ? v : hn::Mul(v, w); };
    const auto each = [&](auto v, auto w, auto s) {
      return log ? hn::Sub(v, hn::Mul(vec_exp(d, w), s)) : hn::Mul(hn::Sub(v, s), w);
    };
    auto s = hn::Zero(d);
    for (std::int64_t i = 0; i < full_size; i += lanes)
      s = hn::Add(s, term(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
    if (tail) s = hn::Add(s, term(load_n(d, a + full_size, tail), load_n(d, b + full_size, tail)));
    s = hn::SumOfLanes(d, s);
    for (std::int64_t i = 0; i < full_size; i += lanes)
      hn::StoreU(each(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s), d, c + i);
    if (tail)
      store_n(each(load_n(d, a + full_size, tail), load_n(d, b + full_size, tail), s), d,
              c + full_size, tail);
    out.end(r, 1, c);
  }
  out.finish();
}

template <class T> void SoftmaxStridedBackward(std::int64_t size, std::int64_t inner,
                                               std::int64_t n, bool log, const T* g, const T* y,
                                               T* out) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN T total[kMaxStrip];
  std::fill_n(total, n, T{0});
  const Strip<T> strip{n};
  for (std::int64_t c = 0; c < size; ++c)
    strip.for_each_vector([&](const auto& load, const auto& store) HWY_ATTR {
      const auto v = load(g + c * inner);
      store(hn::Add(load(total), log ? v : hn::Mul(v, load(y + c * inner))), total);
    });
  for (std::int64_t c = 0; c < size; ++c)
    strip.for_each_vector([&](const auto& load, const auto& store) HWY_ATTR {
      const auto v = load(g + c * inner), w = load(y + c * inner), sum = load(total);
      store(log ? hn::Sub(v, hn::Mul(vec_exp(d, w), sum)) : hn::Mul(hn::Sub(v, sum), w),
            out + c * inner);
    });
}

/// Divides [outer, size, inner] among threads: into rows if inner is 1, otherwise into strips of
/// adjacent slices.
template <class T, class R, class L>
void ParallelizeSlices(const SoftmaxShape& s, R&& rows, L&& strip) {
  if (s.outer == 0 || s.size == 0 || s.inner == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, 8192 / s.size);
  if (s.inner == 1) {
    parallel_for(0, s.outer, grain, rows);
    return;
  }
  constexpr std::int64_t kStripBytes = std::int64_t{1} << 18;  // part of the second-level cache
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const std::int64_t fitting = kStripBytes / (s.size * std::int64_t{sizeof(T)}) / lanes * lanes;
  const std::int64_t threads = s.outer == 1 ? available_threads() : 1;
  const std::int64_t shared = s.inner / (2 * threads) / lanes * lanes;
  const std::int64_t each = std::clamp(std::min(fitting, shared), lanes, kMaxStrip);
  const std::int64_t strips = (s.inner + each - 1) / each;
  parallel_for(0, s.outer * strips, std::max<std::int64_t>(1, grain / each),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t at = i % strips * each;
                   strip(i / strips * s.size * s.inner + at, std::min(each, s.inner - at));
                 }
               });
}

template <class T> void Forward(const SoftmaxShape& s, bool log, const T* x, T* y) {
  const RowOutput<T> rows(y, s.outer, s.size, x == y);
  ParallelizeSlices<T>(
      s,
      [&](std::int64_t b, std::int64_t e) {
        if (s.size <= kMaxNarrowSize && hn::Lanes(hn::ScalableTag<T>()) > 1)
          SoftmaxNarrowRows(b, e, s.size, log, x, y);
        else
          SoftmaxRows(b, e, s.size, log, x, rows);
      },
      [&](std::int64_t at, std::int64_t n) {
        SoftmaxStrided(s.size, s.inner, n, log, x + at, y + at);
      });
}
template <class T> void Backward(const SoftmaxShape& s, bool log, const T* g, const T* y, T* out) {
  const RowOutput<T> rows(out, s.outer, s.size, out == g || out == y);
  ParallelizeSlices<T>(
      s,
      [&](std::int64_t b, std::int64_t e) { SoftmaxRowsBackward(b, e, s.size, log, g, y, rows); },
      [&](std::int64_t at, std::int64_t n) {
        SoftmaxStridedBackward(s.size, s.inner, n, log, g + at, y + at, out + at);
      });
}

void ForwardF32(const SoftmaxShape& s, bool l, const float* x, float* y) { Forward(s, l, x, y); }
void ForwardF64(const SoftmaxShape& s, bool l, const double* x, double* y) { Forward(s, l, x, y); }
void BackwardF32(const SoftmaxShape& s, bool l, const float* g, const float* y, float* o) {
  Backward(s, l, g, y, o);
}
void BackwardF64(const SoftmaxShape& s, bool l, const double* g, const double* y, double* o) {
  Backward(s, l, g, y, o);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(ForwardF32);
HWY_EXPORT(ForwardF64);
HWY_EXPORT(BackwardF32);
HWY_EXPORT(BackwardF64);

template <> void softmax(const SoftmaxShape& s, bool log, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(ForwardF32)(s, log, x, y);
}
template <> void softmax(const SoftmaxShape& s, bool log, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(ForwardF64)(s, log, x, y);
}
template <>
void softmax_backward(const SoftmaxShape& s, bool log, const float* g, const float* y, float* o) {
  HWY_DYNAMIC_DISPATCH(BackwardF32)(s, log, g, y, o);
}
template <> void softmax_backward(const SoftmaxShape& s, bool log, const double* g, const double* y,
                                  double* o) {
  HWY_DYNAMIC_DISPATCH(BackwardF64)(s, log, g, y, o);
}

}  // namespace taper::cpu
#endif
