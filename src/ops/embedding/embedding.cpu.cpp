#include "ops/embedding/embedding.h"

#include <cstring>

#include "core/dtype_table.h"
#include "cpu/threads.h"
#include "ops/embedding/row_groups.h"

namespace taper {
namespace {

constexpr std::int64_t kMinParallelElements = 1 << 15;

/// Returns the minimum number of rows of `columns` elements per thread.
std::int64_t row_grain(std::int64_t columns) {
  return 1 + kMinParallelElements / std::max<std::int64_t>(1, columns);
}

/// Computes the rows [begin, end) of the gradient of a weight.
template <class T> void sum_rows(const EmbeddingDenseBackward& o, const kernel::RowGroups& groups,
                                 std::int64_t begin, std::int64_t end, std::int64_t columns,
                                 const T* grad, T* out) {
  using Sum = std::conditional_t<is_narrow_float<T>, float, T>;
  std::vector<Sum> buffer(is_narrow_float<T> ? static_cast<std::size_t>(columns) : 0);
  // One call for all rows, for which memset bypasses the caches. It is faster than calls for the
  // rows without indices, although the other rows are written twice.
  std::memset(static_cast<void*>(out + begin * columns), 0,
              static_cast<std::size_t>((end - begin) * columns) * sizeof(T));
  groups.for_each(begin, end, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    if (row == o.padding_idx) return;
    T* const to = out + row * columns;
    const Sum scale = o.scale_grad_by_freq ? Sum(1) / static_cast<Sum>(last - first) : Sum(1);
    Sum* sums;
    if constexpr (is_narrow_float<T>) {
      sums = buffer.data();
      std::fill(buffer.begin(), buffer.end(), Sum(0));
    } else {
      sums = to;
    }
    for (std::int64_t n = first; n < last; ++n) {
      const T* const from = grad + groups.position(n) * columns;
      for (std::int64_t j = 0; j < columns; ++j) sums[j] += static_cast<Sum>(from[j]) * scale;
    }
    if constexpr (is_narrow_float<T>)
      for (std::int64_t j = 0; j < columns; ++j) to[j] = T(sums[j]);
  });
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
  if (!is_contiguous(grad) || !is_floating_point(out.dtype)) return false;
  const std::int64_t columns = (*out.shape)[1];
  const auto rows = kernel::checked_rows(k.in[1], o.num_weights, "embedding_dense_backward");
  if (out.numel == 0) return true;  // with any number of rows
  const kernel::RowGroups groups(rows, o.num_weights);
  // Each thread owns a range of rows, so that the order of the sums does not depend on the number
  // of threads.
  visit_dtype(out.dtype, [&]<class T>(T) {
    if constexpr (is_floating_element<T>)
      cpu::parallel_for(
          0, o.num_weights, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
            sum_rows(o, groups, begin, end, columns, reinterpret_cast<const T*>(grad.data),
                     reinterpret_cast<T*>(out.data));
          });
  });
  return true;
}

}  // namespace taper
