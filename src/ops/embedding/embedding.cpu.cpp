#include "ops/embedding/embedding.h"

#include <cstring>

#include "core/dtype_table.h"
#include "cpu/threads.h"
#include "ops/embedding/indices.h"

namespace taper {
namespace {

constexpr std::int64_t kMinParallelElements = 1 << 15;

/// Returns the minimum number of rows of `columns` elements per thread.
std::int64_t row_grain(std::int64_t columns) {
  return 1 + kMinParallelElements / std::max<std::int64_t>(1, columns);
}

/// Adds the rows of `grad` to the rows [first, last) of `out` that `rows` names.
template <class T> void add_rows(const EmbeddingDenseBackward& o,
                                 const std::vector<std::int64_t>& rows,
                                 const std::vector<std::int64_t>& counts, std::int64_t first,
                                 std::int64_t last, std::int64_t columns, const T* grad, T* out) {
  std::fill(out + first * columns, out + last * columns, T(0));
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const std::int64_t row = rows[n];
    if (row < first || row >= last || row == o.padding_idx) continue;
    const T scale =
        o.scale_grad_by_freq ? T(1) / static_cast<T>(counts[static_cast<std::size_t>(row)]) : T(1);
    const T* const from = grad + static_cast<std::int64_t>(n) * columns;
    T* const to = out + row * columns;
    for (std::int64_t j = 0; j < columns; ++j) to[j] += from[j] * scale;
  }
}

}  // namespace

template <> bool cpu_kernel(const Embedding&, const KernelArgs& k) {
  const View& weight = k.in[0];
  if (!is_contiguous(weight)) return false;
  const std::int64_t columns = (*weight.shape)[1];
  const auto rows = kernel::checked_rows(k.in[1], (*weight.shape)[0], "embedding");
  const auto bytes = static_cast<std::size_t>(columns * kernel::element_size(weight));
  if (bytes == 0) return true;
  cpu::parallel_for(0, static_cast<std::int64_t>(rows.size()), row_grain(columns),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (auto n = static_cast<std::size_t>(begin);
                           n < static_cast<std::size_t>(end); ++n)
                        std::memcpy(k.out[0].data + n * bytes,
                                    weight.data + static_cast<std::size_t>(rows[n]) * bytes, bytes);
                    });
  return true;
}

template <> bool cpu_kernel(const EmbeddingDenseBackward& o, const KernelArgs& k) {
  const View &grad = k.in[0], &out = k.out[0];
  if (!is_contiguous(grad) || (out.dtype != DType::f32 && out.dtype != DType::f64)) return false;
  const std::int64_t columns = (*out.shape)[1];
  const auto rows = kernel::checked_rows(k.in[1], o.num_weights, "embedding_dense_backward");
  const auto counts =
      o.scale_grad_by_freq ? kernel::count_rows(rows, o.num_weights) : std::vector<std::int64_t>();
  // Each thread owns a range of rows, so that the order of the sums does not depend on the number
  // of threads.
  visit_dtype(out.dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      cpu::parallel_for(
          0, o.num_weights, row_grain(columns), [&](std::int64_t first, std::int64_t last) {
            add_rows(o, rows, counts, first, last, columns, reinterpret_cast<const T*>(grad.data),
                     reinterpret_cast<T*>(out.data));
          });
  });
  return true;
}

}  // namespace taper
