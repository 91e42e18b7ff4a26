#include "ops/linalg/cross.h"

#include "core/strides.h"
#include "ops/autocast.h"
#include "ops/kernel/reference.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"
#include "taper/ops/linalg.h"
#include "taper/ops/scan.h"

namespace taper {

void LinalgCross::infer(ShapeInference& i) const {
  const Shape& x = i.shape(0);
  if (!(x == i.shape(1)) || i.dtype(0) != i.dtype(1))
    i.fail("expected inputs of the same shape and dtype, got {} {} and {} {}", i.dtype(0), x,
           i.dtype(1), i.shape(1));
  if (dim < 0 || dim >= std::ssize(x) || x[static_cast<std::size_t>(dim)] != 3)
    i.fail("inputs dimension {} must have length 3. Got shape {}", dim, x);
  i.set_output(x, i.dtype(0));
}

void LinalgCross::backward(BackwardContext<LinalgCross>& b) const {
  if (b.needs_input_grad(0)) b[0] = run(LinalgCross{dim}, b.input<1>(), b.grad());
  if (b.needs_input_grad(1)) b[1] = run(LinalgCross{dim}, b.grad(), b.input<0>());
}

template <> void reference_kernel(const LinalgCross& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.in[1], &out = k.out[0];
  const auto d = static_cast<std::size_t>(o.dim);
  Shape vectors = *out.shape;
  vectors[d] = 1;
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    kernel::walk(vectors, std::array<const View*, 3>{&x, &y, &out},
                 [&](const std::array<std::int64_t, 3>& at) {
                   const auto address = [&](const View& v, std::size_t operand, std::int64_t i) {
                     return v.data + at[operand] +
                            i % 3 * (*v.strides)[d] * kernel::element_size(v);
                   };
                   for (std::int64_t i = 0; i < 3; ++i) {
                     const auto product = [&](std::int64_t of_x, std::int64_t of_y) {
                       return kernel::times(kernel::load<T>(address(x, 0, of_x), x.dtype),
                                            kernel::load<T>(address(y, 1, of_y), y.dtype));
                     };
                     kernel::store(address(out, 2, i), out.dtype,
                                   kernel::minus(product(i + 1, i + 2), product(i + 2, i + 1)));
                   }
                 });
  });
}

TAPER_DEFINE_OP(linalg_cross, LinalgCross);

Tensor cross(const Tensor& a, const Tensor& b, std::optional<IntArg> dim) {
  if (tls.autocast) return autocast_call(AutocastPolicy::passthrough, cross, a, b, dim);
  Shape common = a.shape();
  broadcast_into(common, b.shape(), "cross");
  if (a.dim() != b.dim())
    fail<ShapeError>("cross: inputs must have the same number of dimensions: got {} and {}",
                     a.shape(), b.shape());
  std::int64_t d = -1;
  if (dim) {
    d = wrap_dim(*dim, common.size(), "cross");
  } else {
    for (std::int64_t e = a.dim(); e-- > 0;)
      if (a.size(e) == 3) d = e;
    if (d < 0) fail<ShapeError>("cross: no dimension of size 3 in input: got shape {}", a.shape());
  }
  if (a.dim() == 0 || a.size(d) != 3 || b.size(d) != 3)
    fail<ShapeError>("cross: inputs dimension {} must have length 3. Got shapes {} and {}", d,
                     a.shape(), b.shape());
  const Tensor x = a.expand(common), y = b.expand(common);
  if (x.dtype() == y.dtype() && x.dtype() != DType::bool_) return run(LinalgCross{d}, x, y);
  const auto next = [&](const Tensor& v, std::int64_t by) { return roll(v, -by, d); };
  return next(x, 1) * next(y, 2) - next(x, 2) * next(y, 1);
}

}  // namespace taper
