#include "ops/linalg/triangle.h"

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

}  // namespace

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
