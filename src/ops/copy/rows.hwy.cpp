#include "ops/copy/rows.h"

#include <algorithm>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/copy/rows.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::kernel {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(T{}) with the unsigned integer type of `size` bytes.
template <class F> void visit_size(std::size_t size, F&& f) {
  switch (size) {
    case 8: return f(std::uint64_t{});
    case 4: return f(std::uint32_t{});
    case 2: return f(std::uint16_t{});
    default: return f(std::uint8_t{});
  }
}

template <class T> void copy_elements_of_row(T* to, std::int64_t to_step, const T* from,
                                             std::int64_t from_step, std::int64_t n) {
  if (to_step != 1) {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
    return;
  }
  switch (from_step) {
    case 1: std::copy_n(from, n, to); break;
    case 0: std::fill_n(to, n, *from); break;
    case -1:
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[-i];
      break;
    case 2:
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
      break;
    default:
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * from_step];
  }
}

/// Transposes `edge` rows of 16 bytes in registers.
template <class T> HWY_INLINE void transpose_tile([[maybe_unused]] T* to,
                                                  [[maybe_unused]] std::int64_t to_step,
                                                  [[maybe_unused]] const T* from,
                                                  [[maybe_unused]] std::int64_t from_step) {
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kEdge = 16 / sizeof(T);
  const hn::FixedTag<T, kEdge> d;
  hn::Vec<decltype(d)> a[kEdge], b[kEdge];
  for (std::size_t i = 0; i < kEdge; ++i)
    a[i] = hn::LoadU(d, from + static_cast<std::int64_t>(i) * from_step);
  // Each step interleaves the first half of the vectors with the second.
  for (std::size_t step = 1; step < kEdge; step *= 2) {
    for (std::size_t i = 0; i < kEdge / 2; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + kEdge / 2]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + kEdge / 2]);
    }
    for (std::size_t i = 0; i < kEdge; ++i) a[i] = b[i];
  }
  for (std::size_t i = 0; i < kEdge; ++i)
    hn::StoreU(a[i], d, to + static_cast<std::int64_t>(i) * to_step);
#endif
}

#if HWY_TARGET != HWY_SCALAR
/// Separates `n` elements of `Count` rows that are interleaved.
template <std::int64_t Count, class T>
void separate(std::int64_t n, T* to, std::int64_t to_step, const T* from) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Vec<decltype(d)> a, b, c, e;
    if constexpr (Count == 2) hn::LoadInterleaved2(d, from + Count * i, a, b);
    if constexpr (Count == 3) hn::LoadInterleaved3(d, from + Count * i, a, b, c);
    if constexpr (Count == 4) hn::LoadInterleaved4(d, from + Count * i, a, b, c, e);
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + to_step + i);
    if constexpr (Count >= 3) hn::StoreU(c, d, to + 2 * to_step + i);
    if constexpr (Count >= 4) hn::StoreU(e, d, to + 3 * to_step + i);
  }
  for (; i < n; ++i)
    for (std::int64_t k = 0; k < Count; ++k) to[k * to_step + i] = from[Count * i + k];
}
/// Interleaves `n` elements of `Count` rows.
template <std::int64_t Count, class T>
void interleave(std::int64_t n, T* to, const T* from, std::int64_t from_step) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto row = [&](std::int64_t k)
                         HWY_ATTR { return hn::LoadU(d, from + k * from_step + i); };
    if constexpr (Count == 2) hn::StoreInterleaved2(row(0), row(1), d, to + Count * i);
    if constexpr (Count == 3) hn::StoreInterleaved3(row(0), row(1), row(2), d, to + Count * i);
    if constexpr (Count == 4)
      hn::StoreInterleaved4(row(0), row(1), row(2), row(3), d, to + Count * i);
  }
  for (; i < n; ++i)
    for (std::int64_t k = 0; k < Count; ++k) to[Count * i + k] = from[k * from_step + i];
}
/// Transposes a matrix of 2 to 4 dense rows or columns. Returns false for other matrices.
template <class T> bool transpose_narrow(std::int64_t rows, std::int64_t columns, T* to,
                                         std::int64_t to_step, const T* from,
                                         std::int64_t from_step) {
  const auto with_count = [&](std::int64_t count, auto&& f) {
    switch (count) {
      case 2: f.template operator()<2>(); return true;
      case 3: f.template operator()<3>(); return true;
      case 4: f.template operator()<4>(); return true;
      default: return false;
    }
  };
  if (rows == from_step)
    return with_count(rows,
                      [&]<std::int64_t Count>() { separate<Count>(columns, to, to_step, from); });
  if (columns == to_step)
    return with_count(columns,
                      [&]<std::int64_t Count>() { interleave<Count>(rows, to, from, from_step); });
  return false;
}
#endif

template <class T> void transpose_rows(std::int64_t rows, std::int64_t columns, T* to,
                                       std::int64_t to_step, const T* from,
                                       std::int64_t from_step) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) <= 4)
    if (transpose_narrow(rows, columns, to, to_step, from, from_step)) return;
#endif
  constexpr std::int64_t kEdge =
      HWY_TARGET == HWY_SCALAR ? 1 : static_cast<std::int64_t>(16 / sizeof(T));
  // Blocks of cache lines in both matrices.
  constexpr std::int64_t kBlock = static_cast<std::int64_t>(64 / sizeof(T));
  for (std::int64_t i0 = 0; i0 < rows; i0 += kBlock)
    for (std::int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      const std::int64_t i1 = std::min(rows, i0 + kBlock), j1 = std::min(columns, j0 + kBlock);
      std::int64_t i = i0;
      for (; kEdge > 1 && i + kEdge <= i1; i += kEdge) {
        std::int64_t j = j0;
        for (; j + kEdge <= j1; j += kEdge)
          transpose_tile(to + i * to_step + j, to_step, from + j * from_step + i, from_step);
        for (; j < j1; ++j)
          for (std::int64_t k = i; k < i + kEdge; ++k)
            to[k * to_step + j] = from[j * from_step + k];
      }
      for (; i < i1; ++i)
        for (std::int64_t j = j0; j < j1; ++j) to[i * to_step + j] = from[j * from_step + i];
    }
}

void CopyRow(std::size_t size, std::byte* to, std::int64_t to_step, const std::byte* from,
             std::int64_t from_step, std::int64_t n) {
  visit_size(size, [&]<class T>(T) {
    copy_elements_of_row(reinterpret_cast<T*>(to), to_step, reinterpret_cast<const T*>(from),
                         from_step, n);
  });
}

void Transpose(std::size_t size, std::int64_t rows, std::int64_t columns, std::byte* to,
               std::int64_t to_step, const std::byte* from, std::int64_t from_step) {
  visit_size(size, [&]<class T>(T) {
    transpose_rows(rows, columns, reinterpret_cast<T*>(to), to_step,
                   reinterpret_cast<const T*>(from), from_step);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::kernel {

HWY_EXPORT(CopyRow);
HWY_EXPORT(Transpose);

void copy_row(std::size_t size, std::byte* to, std::int64_t to_step, const std::byte* from,
              std::int64_t from_step, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(CopyRow)(size, to, to_step, from, from_step, n);
}
void transpose(std::size_t size, std::int64_t rows, std::int64_t columns, std::byte* to,
               std::int64_t to_step, const std::byte* from, std::int64_t from_step) {
  HWY_DYNAMIC_DISPATCH(Transpose)(size, rows, columns, to, to_step, from, from_step);
}

}  // namespace taper::kernel
#endif
