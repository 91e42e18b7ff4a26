#include <algorithm>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/distance/pairwise_distances.h"

namespace taper {
namespace {

constexpr std::int64_t kMinDistanceWork = 32768;  // elements of differences per thread

bool is_dense_f32(const KernelArgs& k, int i) {
  if (!k.has(i)) return true;
  const View& v = k.in[static_cast<std::size_t>(i)];
  return v.dtype == DType::f32 && is_contiguous(v);
}
const float* floats(const KernelArgs& k, int i) {
  return reinterpret_cast<const float*>(k.in[static_cast<std::size_t>(i)].data);
}
RowPairs pairs_of(const KernelArgs& k, int x1) {
  const auto at = static_cast<std::size_t>(x1);
  return {*k.in[at].shape, k.has(x1 + 1) ? k.in[at + 1].shape : nullptr};
}

std::int64_t rows_per_thread(const RowPairs& r) {
  return 1 + kMinDistanceWork / (1 + r.rows2 * r.columns);
}

}  // namespace

template <> bool cpu_kernel(const PairwiseDistances& o, const KernelArgs& k) {
  if (!is_dense_f32(k, 0) || !is_dense_f32(k, 1) || !is_contiguous(k.out[0])) return false;
  const RowPairs r = pairs_of(k, 0);
  const distance::Order order = distance::order_of(o.p);
  const float* const x1 = floats(k, 0);
  auto* const out = reinterpret_cast<float*>(k.out[0].data);
  if (k.out[0].numel == 0) return true;
  if (r.is_within) {
    // Row i has rows - 1 - i pairs: a short row is computed with a long one.
    const auto row = [&](std::int64_t i) {
      distance::measure(order, x1 + i * r.columns, x1 + (i + 1) * r.columns, r.rows1 - 1 - i,
                        r.columns, out + r.first_pair(i));
    };
    const std::int64_t last = r.rows1 - 2;
    cpu::parallel_for(0, last / 2 + 1, rows_per_thread(r), [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t i = b; i < e; ++i) {
        row(i);
        if (last - i != i) row(last - i);
      }
    });
    return true;
  }
  const float* const x2 = floats(k, 1);
  cpu::parallel_for(
      0, r.batches * r.rows1, rows_per_thread(r), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i)
          distance::measure(order, x1 + i * r.columns, x2 + i / r.rows1 * r.rows2 * r.columns,
                            r.rows2, r.columns, out + i * r.rows2);
      });
  return true;
}

template <> bool cpu_kernel(const PairwiseDistancesBackward& o, const KernelArgs& k) {
  for (int i = 0; i < 4; ++i)
    if (!is_dense_f32(k, i)) return false;
  if (!is_contiguous(k.out[0])) return false;
  const RowPairs r = pairs_of(k, 1);
  const distance::Order order = distance::order_of(o.p);
  const float *const g = floats(k, 0), *const x1 = floats(k, 1), *const distances = floats(k, 3);
  const float* const x2 = r.is_within ? x1 : floats(k, 2);
  auto* const out = reinterpret_cast<float*>(k.out[0].data);
  cpu::parallel_for(
      0, r.batches * r.rows1, rows_per_thread(r), [&](std::int64_t b, std::int64_t e) {
        const cpu::Scratch scratch(static_cast<std::size_t>(2 * r.rows2) * sizeof(float));
        float *const g_of_row = scratch.as<float>(), *const distance_of_row = g_of_row + r.rows2;
        for (std::int64_t i = b; i < e; ++i) {
          const float *row_g = g + i * r.rows2, *row_distances = distances + i * r.rows2;
          if (r.is_within) {
            g_of_row[i] = distance_of_row[i] = 0;
            for (std::int64_t j = 0; j < r.rows2; ++j) {
              if (j == i) continue;
              const std::int64_t pair = r.first_pair(std::min(i, j)) + std::abs(i - j) - 1;
              g_of_row[j] = g[pair], distance_of_row[j] = distances[pair];
            }
            row_g = g_of_row, row_distances = distance_of_row;
          }
          distance::differentiate(order, x1 + i * r.columns, x2 + i / r.rows1 * r.rows2 * r.columns,
                                  r.rows2, r.columns, row_g, row_distances, out + i * r.columns);
        }
      });
  return true;
}

}  // namespace taper
