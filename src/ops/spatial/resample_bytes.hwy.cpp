#include "ops/spatial/resample_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/spatial/resample_bytes.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/scratch.h"
#include "cpu/threads.h"

HWY_BEFORE_NAMESPACE();
namespace taper::resample {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<std::int32_t>;
using V = hn::Vec<D>;
using Bytes = hn::Rebind<std::uint8_t, D>;

/// Returns half of a unit of the result, which rounds it.
std::int32_t half_of(const ByteTaps& t) { return t.bits > 0 ? 1 << (t.bits - 1) : 0; }

/// Stores sums as bytes, which saturate, in the first `n` lanes.
HWY_INLINE void store_sums(const ByteTaps& t, V sums, std::uint8_t* to, std::int64_t n) {
  const auto bytes = hn::DemoteTo(Bytes(), hn::ShiftRightSame(sums, t.bits));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  if (n >= lanes) return hn::StoreU(bytes, Bytes(), to);
  HWY_ALIGN std::uint8_t last[hn::MaxLanes(Bytes())];
  hn::Store(bytes, Bytes(), last);
  std::copy_n(last, n, to);
}

/// Computes a line from `x`, of which 4 bytes are read at each position.
HWY_INLINE void resample_line(const ByteTaps& t, const std::uint8_t* x, std::uint8_t* y) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t o = 0; o < t.out; o += lanes) {
    V sums = hn::Set(d, half_of(t));
    V at = hn::LoadU(d, t.first.data() + o);
    for (std::int64_t k = 0; k < t.count; k += 4) {
      const std::int32_t* const w = t.weight.data() + k * t.width() + o;
      const auto weight = [&](std::int64_t i) HWY_ATTR { return hn::LoadU(d, w + i * t.width()); };
#if HWY_TARGET == HWY_SCALAR
      const std::uint8_t* const p = x + hn::GetLane(at);
      const auto tap = [&](int i) { return hn::Set(d, p[i]); };
      const V x0 = tap(0), x1 = tap(1), x2 = tap(2), x3 = tap(3);
#else
      const V four = hn::GatherOffset(d, reinterpret_cast<const std::int32_t*>(x), at);
      const hn::RebindToUnsigned<D> du;
      const V byte = hn::Set(d, 0xff);
      const V x0 = hn::And(four, byte), x1 = hn::And(hn::ShiftRight<8>(four), byte),
              x2 = hn::And(hn::ShiftRight<16>(four), byte),
              x3 = hn::BitCast(d, hn::ShiftRight<24>(hn::BitCast(du, four)));
#endif
      sums = hn::Add(sums, hn::Add(hn::Add(hn::Mul(x0, weight(0)), hn::Mul(x1, weight(1))),
                                   hn::Add(hn::Mul(x2, weight(2)), hn::Mul(x3, weight(3)))));
      at = hn::Add(at, hn::Set(d, 4));
    }
    store_sums(t, sums, y + o, t.out - o);
  }
}

/// Computes output `o` from rows of `inner` bytes.
HWY_INLINE void add_rows(const ByteTaps& t, std::int64_t o, const std::uint8_t* x,
                         std::int64_t inner, std::uint8_t* y) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int32_t* const weight = t.weight.data() + o;
  const std::uint8_t* const first = x + t.first[static_cast<std::size_t>(o)] * inner;
  const std::int32_t count = t.used[static_cast<std::size_t>(o)];
  std::int64_t j = 0;
  for (; j + lanes <= inner; j += lanes) {
    V sums = hn::Set(d, half_of(t));
    for (std::int32_t k = 0; k < count; ++k) {
      const V v = hn::PromoteTo(d, hn::LoadU(Bytes(), first + k * inner + j));
      sums = hn::Add(sums, hn::Mul(v, hn::Set(d, weight[k * t.width()])));
    }
    store_sums(t, sums, y + j, lanes);
  }
  for (; j < inner; ++j) {
    std::int32_t sum = half_of(t);
    for (std::int32_t k = 0; k < count; ++k) sum += first[k * inner + j] * weight[k * t.width()];
    y[j] = static_cast<std::uint8_t>(std::clamp(sum >> t.bits, 0, 255));
  }
}

void Lines(const ByteTaps& t, std::int64_t begin, std::int64_t end, std::int64_t in,
           const std::uint8_t* x, std::uint8_t* y) {
  // Weights of 0 refer to bytes after the line.
  const auto size = static_cast<std::size_t>(in), all = size + static_cast<std::size_t>(t.count);
  const cpu::Scratch scratch(all);
  auto* const line = scratch.as<std::uint8_t>();
  std::fill(line + size, line + all, std::uint8_t{0});
  for (std::int64_t i = begin; i < end; ++i) {
    std::memcpy(line, x + i * in, size);
    resample_line(t, line, y + i * t.out);
  }
}

void Rows(const ByteTaps& t, std::int64_t begin, std::int64_t end, std::int64_t in,
          std::int64_t inner, const std::uint8_t* x, std::uint8_t* y) {
  for (std::int64_t i = begin; i < end; ++i)
    add_rows(t, i % t.out, x + i / t.out * in * inner, inner, y + i * inner);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::resample
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::resample {

HWY_EXPORT(Lines);
HWY_EXPORT(Rows);

ByteTaps byte_taps(const Taps& taps, int bits) {
  ByteTaps t;
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  std::int64_t count = 0;
  for (const std::int64_t i : taps.index)
    if (i > kMax - ByteTaps::kPadding) return t;
  for (std::size_t o = 0; o + 1 < taps.begin.size(); ++o) {
    double sum = 1;
    for (std::int64_t k = taps.begin[o]; k < taps.begin[o + 1]; ++k)
      sum += std::abs(taps.weight[static_cast<std::size_t>(k)]);
    if (sum * 256 > static_cast<double>(kMax)) return t;
    count = std::max(count, taps.begin[o + 1] - taps.begin[o]);
  }
  t.out = static_cast<std::int64_t>(taps.begin.size()) - 1;
  t.count = (count + 3) / 4 * 4, t.bits = bits;
  t.first.assign(static_cast<std::size_t>(t.width()), 0);
  t.weight.assign(static_cast<std::size_t>(t.count * t.width()), 0);
  t.used.assign(static_cast<std::size_t>(t.out), 0);
  for (std::int64_t o = 0; o < t.out; ++o) {
    const std::int64_t begin = taps.begin[static_cast<std::size_t>(o)],
                       n = taps.begin[static_cast<std::size_t>(o) + 1] - begin;
    t.used[static_cast<std::size_t>(o)] = static_cast<std::int32_t>(n);
    if (n == 0) continue;
    t.first[static_cast<std::size_t>(o)] =
        static_cast<std::int32_t>(taps.index[static_cast<std::size_t>(begin)]);
    for (std::int64_t k = 0; k < n; ++k)
      t.weight[static_cast<std::size_t>(k * t.width() + o)] =
          static_cast<std::int32_t>(taps.weight[static_cast<std::size_t>(begin + k)]);
  }
  return t;
}

void resample_byte_lines(const ByteTaps& t, std::int64_t lines, std::int64_t in,
                         const std::uint8_t* x, std::uint8_t* y) {
  cpu::parallel_for(0, lines, 1 + 65536 / (t.out * t.count + 1),
                    [&](std::int64_t begin, std::int64_t end) {
                      HWY_DYNAMIC_DISPATCH(Lines)(t, begin, end, in, x, y);
                    });
}

void resample_byte_rows(const ByteTaps& t, std::int64_t outer, std::int64_t in, std::int64_t inner,
                        const std::uint8_t* x, std::uint8_t* y) {
  cpu::parallel_for(0, outer * t.out, 1 + 65536 / (inner * t.count + 1),
                    [&](std::int64_t begin, std::int64_t end) {
                      HWY_DYNAMIC_DISPATCH(Rows)(t, begin, end, in, inner, x, y);
                    });
}

}  // namespace taper::resample
#endif
