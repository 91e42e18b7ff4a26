#include "ops/linalg/triangle.h"

#include <algorithm>
#include <cstring>

#include "cpu/threads.h"
#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Copies, in each row r, the elements from (triu) or up to (tril) column r + diagonal, and sets
/// the other elements to 0.
template <bool Upper> void copy_triangle(const Triangle<Upper>& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t rows = shape[shape.size() - 2], cols = shape.back();
  std::int64_t row = 0;
  kernel::in_compute_type(k.out[0].dtype, [&]<class T>(T) {
    kernel::for_each_slice<2>(shape, -1, {&k.in[0], &k.out[0]}, [&](const auto& slices) {
      for (std::int64_t c = 0; c < cols; ++c) {
        const bool in_triangle = Upper ? c - row >= o.diagonal : c - row <= o.diagonal;
        slices[1].set(c, in_triangle ? slices[0].template get<T>(c) : T{});
      }
      row = row + 1 == rows ? 0 : row + 1;
    });
  });
}

/// As copy_triangle, of row-major memory, with whole parts of rows.
template <bool Upper> bool copy_triangle_rows(const Triangle<Upper>& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  if (in.dtype != out.dtype || !is_contiguous(in) || !is_contiguous(out)) return false;
  if (out.numel == 0) return true;
  const Shape& shape = *in.shape;
  const std::int64_t rows = shape[shape.size() - 2], cols = shape.back();
  const std::int64_t diagonal = std::clamp(o.diagonal, -rows - 1, cols + 1) + (Upper ? 0 : 1);
  const std::int64_t size = kernel::element_size(out);
  cpu::parallel_for(
      0, out.numel / cols, 1 + (1 << 15) / cols, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::byte* const from = in.data + r * cols * size;
          std::byte* const to = out.data + r * cols * size;
          const auto split = static_cast<std::size_t>(
              std::clamp<std::int64_t>(r % rows + diagonal, 0, cols) * size);
          const auto end_of_row = static_cast<std::size_t>(cols * size);
          const std::size_t first = Upper ? split : 0, last = Upper ? end_of_row : split;
          if (to != from) std::memcpy(to + first, from + first, last - first);
          std::memset(to, 0, first);
          std::memset(to + last, 0, end_of_row - last);
        }
      });
  return true;
}

}  // namespace

template <> bool cpu_kernel(const Triu& o, const KernelArgs& k) { return copy_triangle_rows(o, k); }
template <> bool cpu_kernel(const Tril& o, const KernelArgs& k) { return copy_triangle_rows(o, k); }
template <> void reference_kernel(const Triu& o, const KernelArgs& k) { copy_triangle(o, k); }
template <> void reference_kernel(const Tril& o, const KernelArgs& k) { copy_triangle(o, k); }

TAPER_DEFINE_OP(triu, Triu);
TAPER_DEFINE_OP(tril, Tril);

Tensor triu(const Tensor& x, IntArg diagonal) { return run(Triu{diagonal}, x); }
Tensor tril(const Tensor& x, IntArg diagonal) { return run(Tril{diagonal}, x); }

namespace ops {
Tensor LinalgMethods::triu(IntArg diagonal) const { return run(Triu{diagonal}, self_of(this)); }
Tensor LinalgMethods::tril(IntArg diagonal) const { return run(Tril{diagonal}, self_of(this)); }
}  // namespace ops

}  // namespace taper
