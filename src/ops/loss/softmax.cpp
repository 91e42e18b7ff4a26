#include "ops/loss/softmax.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "taper/core/tensor.h"

namespace taper {
template <bool Log> void Softmax<Log>::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  const DType to = dtype.value_or(i.dtype(0));
  if (!is_floating_point(to))
    i.fail<DTypeError>("expected a floating point tensor: got {} (shape {})", to, i.shape(0));
  i.set_output(i.shape(0), to);
}

template <bool Log> void Softmax<Log>::backward(BackwardContext<Softmax>& b) const {
  b[0] = run(SoftmaxBackward<Log>{dim}, b.grad(), b.template output<0>());
}

template <bool Log> void SoftmaxBackward<Log>::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.check_same_shape(0, 1);
  i.set_output(i.shape(0), i.dtype(0));
}

template <bool Log> void SoftmaxBackward<Log>::backward(BackwardContext<SoftmaxBackward>& b) const {
  const Tensor v = b.grad(), g = b.template input<0>(), y = b.template input<1>();
  const Dims along{dim};
  if constexpr (Log) {
    // The gradient of log_softmax is g - e^y sum(g).
    const Tensor p = y.exp();
    if (b.needs_input_grad(0)) b[0] = v - v.mul(p).sum(along, true);
    if (b.needs_input_grad(1)) b[1] = v.mul(p).mul(g.sum(along, true)).mul(-1);
  } else {
    // The gradient of softmax is (g - sum(g y)) y.
    if (b.needs_input_grad(0)) b[0] = run(SoftmaxBackward{dim}, v, y);
    if (b.needs_input_grad(1)) {
      const Tensor s = g.mul(y).sum(along, true);
      b[1] = v.mul(g - s) - v.mul(y).sum(along, true).mul(g);
    }
  }
}

namespace {

template <bool Log> void softmax_slices(std::int64_t dim, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, dim);
  kernel::for_each_slice<2>(shape, dim, {&k.in[0], &k.out[0]}, [&](const auto& slices) {
    double max_value = -INFINITY, total = 0;
    for (std::int64_t i = 0; i < n; ++i)
      max_value = std::fmax(max_value, slices[0].template get<double>(i));
    for (std::int64_t i = 0; i < n; ++i)
      total += std::exp(slices[0].template get<double>(i) - max_value);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = slices[0].template get<double>(i) - max_value;
      slices[1].set(i, Log ? x - std::log(total) : std::exp(x) / total);
    }
  });
}

template <bool Log> void softmax_backward_slices(std::int64_t dim, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, dim);
  kernel::for_each_slice<3>(shape, dim, {&k.in[0], &k.in[1], &k.out[0]}, [&](const auto& slices) {
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double g = slices[0].template get<double>(i), y = slices[1].template get<double>(i);
      total += Log ? g : g * y;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const double g = slices[0].template get<double>(i), y = slices[1].template get<double>(i);
      slices[2].set(i, Log ? g - std::exp(y) * total : (g - total) * y);
    }
  });
}

}  // namespace

template <> void reference_kernel(const Softmax<false>& o, const KernelArgs& k) {
  softmax_slices<false>(o.dim, k);
}
template <> void reference_kernel(const Softmax<true>& o, const KernelArgs& k) {
  softmax_slices<true>(o.dim, k);
}
template <> void reference_kernel(const SoftmaxBackward<false>& o, const KernelArgs& k) {
  softmax_backward_slices<false>(o.dim, k);
}
template <> void reference_kernel(const SoftmaxBackward<true>& o, const KernelArgs& k) {
  softmax_backward_slices<true>(o.dim, k);
}

// Run by the gradient of cross_entropy_loss.
template struct SoftmaxBackward<true>;

TAPER_DEFINE_OP(softmax, Softmax<false>);
TAPER_DEFINE_OP(log_softmax, Softmax<true>);
TAPER_DEFINE_OP(softmax_backward_data, SoftmaxBackward<false>);
TAPER_DEFINE_OP(log_softmax_backward_data, SoftmaxBackward<true>);

Tensor softmax(const Tensor& x, IntArg dim, std::optional<DType> dtype) {
  return run(Softmax<false>{dim}, dtype ? x.to(*dtype) : x);
}
Tensor log_softmax(const Tensor& x, IntArg dim, std::optional<DType> dtype) {
  return run(Softmax<true>{dim}, dtype ? x.to(*dtype) : x);
}

namespace ops {
Tensor LossMethods::softmax(IntArg dim, std::optional<DType> dtype) const {
  return taper::softmax(self_of(this), dim, dtype);
}
Tensor LossMethods::log_softmax(IntArg dim, std::optional<DType> dtype) const {
  return taper::log_softmax(self_of(this), dim, dtype);
}
}  // namespace ops

}  // namespace taper
