// CPU kernels of cumprod, cummax, cummin and logcumsumexp on row-major tensors.
#include <algorithm>
#include <array>
#include <type_traits>

#include "core/element.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/reduce/scan.h"
#include "ops/reduce/scan_rows.h"

namespace taper {
namespace {

/// Maximum number of columns that are scanned simultaneously.
constexpr std::int64_t kScannedColumns = 256;

/// Calls scan_rows(first element, n, number of rows) if `dim` is the last dimension, otherwise
/// scan_columns(first element, n, number of columns, stride of a column), in parallel.
template <class Rows, class Columns>
void scan_row_major(const View& v, std::int64_t dim, Rows&& scan_rows, Columns&& scan_columns) {
  constexpr std::int64_t kMinWork = 1 << 14;
  const std::int64_t rank = std::ssize(*v.shape), d = dim < 0 ? dim + rank : dim;
  std::int64_t inner = 1;
  for (std::int64_t e = d + 1; e < rank; ++e) inner *= (*v.shape)[static_cast<std::size_t>(e)];
  const std::int64_t n = (*v.shape)[static_cast<std::size_t>(d)], each = n * inner;
  if (inner == 1) {
    cpu::parallel_for(0, v.numel / n, std::max<std::int64_t>(1, kMinWork / n),
                      [&](std::int64_t b, std::int64_t e) { scan_rows(b * n, n, e - b); });
    return;
  }
  const std::int64_t strips = (inner + kScannedColumns - 1) / kScannedColumns;
  cpu::parallel_for(0, v.numel / each * strips,
                    std::max<std::int64_t>(1, kMinWork / (n * std::min(inner, kScannedColumns))),
                    [&](std::int64_t b, std::int64_t e) {
                      for (std::int64_t i = b; i < e; ++i) {
                        const std::int64_t column = i % strips * kScannedColumns;
                        scan_columns(i / strips * each + column, n,
                                     std::min(kScannedColumns, inner - column), inner);
                      }
                    });
}

/// Type of products of elements of type T. Those of integers wrap around.
template <class T> using ProductOf =
    std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

template <class T> void multiply_row(const T* x, T* y, std::int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    reduce::cumprod_row(x, y, n);
  } else {
    ProductOf<T> total{1};
    for (std::int64_t i = 0; i < n; ++i) {
      total *= static_cast<ProductOf<T>>(x[i]);
      y[i] = static_cast<T>(total);
    }
  }
}

template <class T> void multiply_along_dim(const CumProd& o, const KernelArgs& k) {
  const T* const x = reinterpret_cast<const T*>(k.in[0].data);
  T* const y = reinterpret_cast<T*>(k.out[0].data);
  scan_row_major(
      k.in[0], o.dim,
      [&](std::int64_t first, std::int64_t n, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r, first += n) multiply_row(x + first, y + first, n);
      },
      [&](std::int64_t first, std::int64_t n, std::int64_t columns, std::int64_t stride) {
        using Product = ProductOf<T>;
        std::array<Product, kScannedColumns> totals;
        totals.fill(Product{1});
        for (std::int64_t i = 0; i < n; ++i, first += stride)
          for (std::int64_t j = 0; j < columns; ++j) {
            Product& total = totals[static_cast<std::size_t>(j)];
            total *= static_cast<Product>(x[first + j]);
            y[first + j] = static_cast<T>(total);
          }
      });
}

/// Returns true if x becomes the extremum: if it is at least as extreme as `best`, or NaN.
template <bool Largest, class T> bool becomes_extremum(T x, T best) {
  return (Largest ? x >= best : x <= best) | (x != x);
}

template <bool Largest, class T>
void scan_extremes_along_dim(const CumExtreme<Largest>& o, const KernelArgs& k) {
  const T* const x = reinterpret_cast<const T*>(k.in[0].data);
  T* const values = reinterpret_cast<T*>(k.out[0].data);
  auto* const indices = reinterpret_cast<std::int64_t*>(k.out[1].data);
  scan_row_major(
      k.in[0], o.dim,
      [&](std::int64_t first, std::int64_t n, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r, first += n) {
          T best = x[first];
          std::int64_t at = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            const T v = x[first + i];
            if (becomes_extremum<Largest>(v, best)) best = v, at = i;
            values[first + i] = best;
            indices[first + i] = at;
          }
        }
      },
      [&](std::int64_t first, std::int64_t n, std::int64_t columns, std::int64_t stride) {
        std::copy_n(x + first, columns, values + first);
        std::fill_n(indices + first, columns, 0);
        for (std::int64_t i = 1; i < n; ++i) {
          first += stride;
          for (std::int64_t j = first; j < first + columns; ++j) {
            const T v = x[j], best = values[j - stride];
            const bool replaces = becomes_extremum<Largest>(v, best);
            values[j] = replaces ? v : best;
            indices[j] = replaces ? i : indices[j - stride];
          }
        }
      });
}

bool is_scannable(const View& in, const View& out) {
  return in.numel != 0 && !in.shape->empty() && in.dtype == out.dtype && is_contiguous(in) &&
         is_contiguous(out);
}

template <bool Largest> bool scan_extremes_fast(const CumExtreme<Largest>& o, const KernelArgs& k) {
  if (!is_scannable(k.in[0], k.out[0]) || !is_contiguous(k.out[1])) return false;
  switch (k.in[0].dtype) {
    case DType::f32: scan_extremes_along_dim<Largest, float>(o, k); return true;
    case DType::f64: scan_extremes_along_dim<Largest, double>(o, k); return true;
    case DType::i64: scan_extremes_along_dim<Largest, std::int64_t>(o, k); return true;
    default: return false;
  }
}

}  // namespace

template <> bool cpu_kernel(const CumProd& o, const KernelArgs& k) {
  if (!is_scannable(k.in[0], k.out[0])) return false;
  switch (k.in[0].dtype) {
    case DType::f32: multiply_along_dim<float>(o, k); return true;
    case DType::f64: multiply_along_dim<double>(o, k); return true;
    case DType::i64: multiply_along_dim<std::int64_t>(o, k); return true;
    default: return false;
  }
}
template <> bool cpu_kernel(const CumExtreme<true>& o, const KernelArgs& k) {
  return scan_extremes_fast(o, k);
}
template <> bool cpu_kernel(const CumExtreme<false>& o, const KernelArgs& k) {
  return scan_extremes_fast(o, k);
}

template <> bool cpu_kernel(const LogCumSumExp& o, const KernelArgs& k) {
  if (!is_scannable(k.in[0], k.out[0]) || k.in[0].dtype != DType::f32) return false;
  const auto* const x = reinterpret_cast<const float*>(k.in[0].data);
  auto* const y = reinterpret_cast<float*>(k.out[0].data);
  scan_row_major(
      k.in[0], o.dim,
      [&](std::int64_t first, std::int64_t n, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r, first += n)
          reduce::logcumsumexp_row(x + first, y + first, n);
      },
      [&](std::int64_t first, std::int64_t n, std::int64_t columns, std::int64_t stride) {
        const cpu::Scratch memory(2 * static_cast<std::size_t>(n) * sizeof(float));
        float *const from = memory.as<float>(), *const to = from + n;
        for (std::int64_t j = first; j < first + columns; ++j) {
          for (std::int64_t i = 0; i < n; ++i) from[i] = x[j + i * stride];
          reduce::logcumsumexp_row(from, to, n);
          for (std::int64_t i = 0; i < n; ++i) y[j + i * stride] = to[i];
        }
      });
  return true;
}

}  // namespace taper
