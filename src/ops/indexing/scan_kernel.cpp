// CPU kernels of nonzero and masked_select: scans of row-major memory.

#include "ops/indexing/masked.h"
#include "ops/kernel/element.h"

namespace taper {
namespace {

/// Writes the indices of the first `max` nonzero elements as rows of `out`. Returns the number of
/// rows, which is smaller if there are fewer nonzero elements.
template <class T> std::int64_t write_nonzero_indices(const T* x, const Shape& shape,
                                                      std::int64_t* out, std::int64_t max) {
  const std::size_t rank = shape.size(), last = rank - 1;
  Shape index = Shape::filled(rank, 0);
  std::int64_t count = 0;
  for (std::int64_t rows = shape.numel() / shape[last]; rows-- > 0; x += shape[last]) {
    for (std::int64_t i = 0; i < shape[last]; ++i) {
      if (x[i] == T{}) continue;
      if (count++ == max) return max;
      for (std::size_t d = 0; d < last; ++d) *out++ = index[d];
      *out++ = i;
    }
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
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < mask.numel; ++i) n += m[i] != 0;
  if (n != o.size) return false;  // the reference kernel reports the error
  switch (size_of(x.dtype)) {
    case 8:
      copy_masked(data_as<std::uint64_t>(x), m, x.numel, data_as<std::uint64_t>(out), n);
      break;
    case 4:
      copy_masked(data_as<std::uint32_t>(x), m, x.numel, data_as<std::uint32_t>(out), n);
      break;
    case 2:
      copy_masked(data_as<std::uint16_t>(x), m, x.numel, data_as<std::uint16_t>(out), n);
      break;
    default:
      copy_masked(data_as<std::uint8_t>(x), m, x.numel, data_as<std::uint8_t>(out), n);
      break;
  }
  return true;
}

}  // namespace taper
