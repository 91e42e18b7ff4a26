// Linear recurrences, and the gradients of cumulative products in terms of them.
#include "ops/reduce/recurrence.h"

#include "ops/kernel/slices.h"
#include "ops/reduce/scan.h"
#include "taper/core/factory.h"

namespace taper {

void LinearRecurrence::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  if (i.shape(1) != i.shape(0))
    fail<ShapeError>("{}: incompatible shapes: got factor {} and term {}", op.function(),
                     i.shape(0), i.shape(1));
  if (i.dtype(1) != i.dtype(0))
    fail<DTypeError>("{}: different dtypes: got factor {} and term {}", op.function(), i.dtype(0),
                     i.dtype(1));
  i.set_output(i.shape(0), i.dtype(0));
}

void LinearRecurrence::backward(BackwardContext<LinearRecurrence>& b) const {
  const Tensor terms =
      run(LinearRecurrence{dim, !reverse}, shifted(b.input<0>(), dim, !reverse, 0), b.grad());
  if (b.needs_input_grad(0)) b[0] = terms * shifted(b.output<0>(), dim, reverse, 0);
  b[1] = terms;
}

template <> void reference_kernel(const LinearRecurrence& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, o.dim);
  kernel::in_compute_type(k.out[0].dtype, [&]<class T>(T) {
    kernel::for_each_slice<3>(shape, o.dim, {&k.in[0], &k.in[1], &k.out[0]},
                              [&](const auto& slices) {
                                T y{0};
                                for (std::int64_t j = 0; j < n; ++j) {
                                  const std::int64_t i = o.reverse ? n - 1 - j : j;
                                  // The first factor is not read: 0 * inf would be NaN.
                                  if (j > 0) y = kernel::times(y, slices[0].template get<T>(i));
                                  y = kernel::plus(y, slices[1].template get<T>(i));
                                  slices[2].set(i, y);
                                }
                              });
  });
}

TAPER_DEFINE_OP(_linear_recurrence, LinearRecurrence);

Tensor shifted(const Tensor& x, std::int64_t dim, bool reverse, double border) {
  if (x.dim() == 0) return full_like(x, border);
  const std::int64_t n = x.size(dim);
  if (n == 0) return x;
  const Tensor first = full_like(x.narrow(dim, 0, 1), border);
  return reverse ? cat({x.narrow(dim, 1, n - 1), first}, dim)
                 : cat({first, x.narrow(dim, 0, n - 1)}, dim);
}

Tensor exclusive_cumprod(const Tensor& x, std::int64_t dim, bool reverse) {
  if (x.dim() == 0) return ones_like(x);
  return reverse ? exclusive_cumprod(x.flip(dim), dim, false).flip(dim)
                 : shifted(x.cumprod(dim), dim, false, 1);
}

Tensor cumprod_gradient(const Tensor& x, const Tensor& g, std::int64_t dim, bool reverse) {
  return run(LinearRecurrence{dim, !reverse}, shifted(x, dim, !reverse, 0), g) *
         exclusive_cumprod(x, dim, reverse);
}

}  // namespace taper
