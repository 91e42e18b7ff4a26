#include <algorithm>
#include <type_traits>

#include "cpu/threads.h"
#include "ops/embedding/bag_rows.h"
#include "ops/embedding/embedding_bag.h"
#include "taper/core/dtype.h"

namespace taper {
namespace {

constexpr std::int64_t kMinParallelBagElements = 1 << 14;

/// Computes one bag. `maxima` is null unless the mode is the maximum.
template <class T> void reduce_bag(const EmbeddingBag& o, const std::int64_t* rows,
                                   std::int64_t count, const T* factors, std::int64_t columns,
                                   const T* weight, T* out, std::int64_t* maxima) {
  if constexpr (std::is_same_v<T, float>)
    if (!maxima)
      return embedding::sum_rows({weight, columns, rows, factors, count}, o.padding_idx,
                                 o.mode == 1, out);
  std::fill_n(out, columns, T(0));
  if (maxima) std::fill_n(maxima, columns, 0);
  std::int64_t used = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    if (rows[n] == o.padding_idx) continue;
    const T* const row = weight + rows[n] * columns;
    if (!maxima) {
      const T factor = factors ? factors[n] : T(1);
      for (std::int64_t j = 0; j < columns; ++j) out[j] += row[j] * factor;
    } else if (used == 0) {
      std::copy_n(row, columns, out);
      std::fill_n(maxima, columns, rows[n]);
    } else {
      for (std::int64_t j = 0; j < columns; ++j)
        if (row[j] > out[j]) out[j] = row[j], maxima[j] = rows[n];
    }
    ++used;
  }
  if (o.mode == 1 && used > 1)
    for (std::int64_t j = 0; j < columns; ++j) out[j] /= static_cast<T>(used);
}

template <class T> void reduce_bags(const EmbeddingBag& o, const KernelArgs& k) {
  const BagIndices bags(o, k);
  bags.write(o, k);
  const std::int64_t columns = (*k.in[0].shape)[1], count = (*k.out[0].shape)[0];
  const auto* const factors = k.has(3) ? reinterpret_cast<const T*>(k.in[3].data) : nullptr;
  const std::int64_t work = k.in[1].numel * columns;
  const std::int64_t grain = 1 + kMinParallelBagElements * count / std::max<std::int64_t>(1, work);
  cpu::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    bags.each(begin, end, [&](std::int64_t bag, std::int64_t first, std::int64_t last) {
      reduce_bag(
          o, bags.rows.data() + first, last - first, factors ? factors + first : nullptr, columns,
          reinterpret_cast<const T*>(k.in[0].data),
          reinterpret_cast<T*>(k.out[0].data) + bag * columns,
          o.mode == 2 ? reinterpret_cast<std::int64_t*>(k.out[3].data) + bag * columns : nullptr);
    });
  });
}

}  // namespace

template <> bool cpu_kernel(const EmbeddingBag& o, const KernelArgs& k) {
  if (!is_contiguous(k.in[0]) || (k.has(3) && !is_contiguous(k.in[3]))) return false;
  if (k.in[0].dtype == DType::f32)
    reduce_bags<float>(o, k);
  else if (k.in[0].dtype == DType::f64)
    reduce_bags<double>(o, k);
  else
    return false;
  return true;
}

}  // namespace taper
