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

template <class T> void transpose_rows(std::int64_t rows, std::int64_t columns, T* to,
                                       std::int64_t to_step, const T* from,
                                       std::int64_t from_step) {
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
