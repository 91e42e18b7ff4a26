// CPU kernels of nonzero, masked_select and masked_scatter: scans of row-major memory.
#include <algorithm>
#include <array>

#include "ops/indexing/indexed_layout.h"
#include "ops/indexing/masked.h"
#include "ops/kernel/element.h"
#include "ops/reduce/dims.h"

namespace taper {
namespace {

/// Writes the positions of the nonzero elements of a row after the indices of the row, at most
/// `max`. Returns their number. `Rank` is the number of indices if it is known, otherwise 0.
template <std::size_t Rank, class T> std::int64_t write_nonzero_row(const T* x, const Shape& index,
                                                                    std::int64_t* out,
                                                                    std::int64_t max) {
  const std::size_t rank = Rank > 0 ? Rank : index.size(), last = rank - 1;
  const std::int64_t n = index[last];  // the length of the row
  // Copies, because `out` may be the memory of a Shape as far as the compiler can tell.
  std::array<std::int64_t, std::max<std::size_t>(Rank, 1)> copy{};
  for (std::size_t d = 0; Rank > 0 && d < last; ++d) copy[d] = index[d];
  std::int64_t count = 0;
  // Each element is written, and overwritten unless it is nonzero, which avoids mispredicted
  // branches.
  for (std::int64_t i = 0; i < n && count < max; ++i) {
    for (std::size_t d = 0; d < last; ++d) out[d] = Rank > 0 ? copy[d] : index[d];
    out[last] = i;
    const bool is_nonzero = x[i] != T{};
    out += is_nonzero ? rank : 0;
    count += is_nonzero;
  }
  return count;
}

/// Writes the indices of the first `max` nonzero elements as rows of `out`. Returns the number of
/// rows, which is smaller if there are fewer nonzero elements.
template <class T> std::int64_t write_nonzero_indices(const T* x, const Shape& shape,
                                                      std::int64_t* out, std::int64_t max) {
  const std::size_t rank = shape.size(), last = rank - 1;
  Shape index = Shape::filled(rank, 0);
  index[last] = shape[last];
  std::int64_t count = 0;
  for (std::int64_t rows = shape.numel() / shape[last]; rows-- > 0 && count < max;
       x += shape[last]) {
    std::int64_t* const to = out + count * static_cast<std::int64_t>(rank);
    count += rank == 1   ? write_nonzero_row<1>(x, index, to, max - count)
             : rank == 2 ? write_nonzero_row<2>(x, index, to, max - count)
                         : write_nonzero_row<0>(x, index, to, max - count);
    for (std::size_t d = last; d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return count;
}

/// Copies the elements whose mask is true, `size` in number, to `out`.
template <class T>
void copy_masked(const T* x, const std::uint8_t* mask, std::int64_t n, T* out, std::int64_t size) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n && count < size; ++i) {
    out[count] = x[i];  // overwritten unless the mask is true; avoids mispredicted branches
    count += mask[i] != 0;
  }
}

/// Copies x to `out`, with the elements whose mask is true replaced by consecutive elements of
/// `source`, which has `size` of them.
template <class T> void scatter_masked(const T* x, const std::uint8_t* mask, std::int64_t n,
                                       const T* source, std::int64_t size, T* out) {
  if (size == 0) {
    if (out != x) std::copy_n(x, n, out);
    return;
  }
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T next = source[std::min(count, size - 1)];
    out[i] = mask[i] != 0 ? next : x[i];
    count += mask[i] != 0;
  }
}

/// Returns the number of true elements of a mask.
std::int64_t count_true_elements(const View& mask) {
  const reduce::Mask all = reduce::mask_of({}, mask.shape->size(), "count_nonzero");
  std::int64_t count = 0;
  reduce::fold(reduce::Fold::count, mask, all, &count);
  return count;
}

template <class T> T* data_as(const View& v) { return reinterpret_cast<T*>(v.data); }

}  // namespace

template <> bool cpu_kernel(const NonzeroStatic& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  if (x.numel == 0 || x.shape->empty() || !is_contiguous(x) || !is_contiguous(out)) return false;
  auto* to = data_as<std::int64_t>(out);
  const std::int64_t count = visit_dtype(x.dtype, [&]<class T>(T) -> std::int64_t {
    using Read = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    if constexpr (is_narrow_float<T>)
      return -1;
    else
      return write_nonzero_indices(data_as<Read>(x), *x.shape, to, o.size);
  });
  if (count < 0) return false;
  const auto rank = static_cast<std::int64_t>(x.shape->size());
  for (std::int64_t i = count * rank; i < o.size * rank; ++i) to[i] = o.fill_value;
  return true;
}

template <> bool cpu_kernel(const MaskedSelect& o, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &out = k.out[0];
  if (!is_contiguous(x) || !is_contiguous(mask) || !is_contiguous(out)) return false;
  const auto* m = data_as<std::uint8_t>(mask);
  const std::int64_t n = count_true_elements(mask);
  if (n != o.size) return false;  // the reference kernel reports the error
  indexing::visit_element_size(
      x.dtype, [&]<class T>(T) { copy_masked(data_as<T>(x), m, x.numel, data_as<T>(out), n); });
  return true;
}

template <> bool cpu_kernel(const MaskedScatter&, const KernelArgs& k) {
  const View &x = k.in[0], &mask = k.in[1], &source = k.in[2], &out = k.out[0];
  for (const View* v : {&x, &mask, &source, &out})
    if (!is_contiguous(*v)) return false;
  if (x.numel != out.numel || mask.numel != out.numel) return false;
  if (count_true_elements(mask) > source.numel) return false;  // reported by the reference kernel
  indexing::visit_element_size(x.dtype, [&]<class T>(T) {
    scatter_masked(data_as<const T>(x), data_as<std::uint8_t>(mask), x.numel,
                   data_as<const T>(source), source.numel, data_as<T>(out));
  });
  return true;
}

}  // namespace taper
