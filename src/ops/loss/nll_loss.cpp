#include "ops/loss/nll_loss.h"

#include "ops/kernel/reference.h"
#include "ops/loss/functions.h"
#include "ops/loss/nll_kernel.h"
#include "ops/loss/reduction.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

void check_nll(ShapeInference& i, const Shape& x) {
  const Shape& t = i.shape(1);
  if (x.empty()) i.fail("input tensor should be 1D or 2D: got shape {}", x);
  Shape expected_shape = x;
  expected_shape.erase(x.size() == 1 ? 0 : 1);
  if (!(t == expected_shape))
    i.fail("expected target of shape {} for input of shape {}: got target of shape {}",
           expected_shape, x, t);
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::u8)
    i.fail<DTypeError>("expected scalar type Long or Byte but found {}: target holds class indices",
                       i.dtype(1));
  const std::int64_t classes = x[x.size() == 1 ? 0 : 1];
  if (i.has(2) && !(i.shape(2) == Shape{classes}))
    i.fail(
        "weight tensor should be defined either for all {} classes or no classes but got weight "
        "tensor of shape: {}",
        classes, i.shape(2));
  if (i.has(2) && i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("expected scalar type {} but found {}: weight and input differ",
                       legacy_name(i.dtype(0)), legacy_name(i.dtype(2)));
}

}  // namespace

template <bool Plane> void NllLoss<Plane>::infer(ShapeInference& i) const {
  const auto r = reduction_of(reduction, op.function());
  const Shape& x = i.shape(0);
  check_nll(i, x);
  i.set_output(r == Reduction::None ? i.shape(1) : Shape{}, i.dtype(0));
  i.set_output({}, i.dtype(0));
}

template <bool Plane> void NllLoss<Plane>::backward(BackwardContext<NllLoss>& b) const {
  b[0] = run(NllLossBackward<Plane>{reduction, ignore_index, b.input_meta(0).shape}, b.grad(),
             b.template input<1>(), b.template input<2>(), b.template output<1>());
}

template <bool Plane> void NllLossBackward<Plane>::infer(ShapeInference& i) const {
  const auto r = reduction_of(reduction, op.function());
  check_nll(i, shape);
  const Shape expected = r == Reduction::None ? i.shape(1) : Shape{};
  if (!(i.shape(0) == expected) || i.tensor(3).numel != 1)
    i.fail("expected a gradient of shape {} and one total weight, got {} and {}", expected,
           i.shape(0), i.shape(3));
  i.set_output(shape, i.dtype(0));
}

template <bool Plane>
void NllLossBackward<Plane>::backward(BackwardContext<NllLossBackward>& b) const {
  if (b.needs_input_grad(0))
    b[0] = run_all(NllLoss<Plane>{reduction, ignore_index}, b.grad(), b.template input<1>(),
                   b.template input<2>())[0];
}

namespace {

template <bool Plane> void forward(const NllLoss<Plane>& o, const KernelArgs& k) {
  const View &x = k.in[0], &out = k.out[0];
  const auto r = reduction_of(o.reduction, o.op.function());
  const nll::Samples samples(x, k.in[1], k.has(2) ? &k.in[2] : nullptr, o.ignore_index,
                             o.op.function());
  double total = 0, weight = 0;
  std::int64_t i = 0;
  const auto loss_of = [&] {
    const nll::Samples::Sample s = samples[i++];
    if (s.ignored) return 0.0;
    const double v =
        -s.weight * kernel::load<double>(x.data + s.score * kernel::element_size(x), x.dtype);
    total += v, weight += s.weight;
    return v;
  };
  if (r == Reduction::None) {
    kernel::walk<1>(*out.shape, {&out},
                    [&](const auto& at) { kernel::store(out.data + at[0], out.dtype, loss_of()); });
    weight = 0;
  } else {
    while (i < samples.count()) loss_of();
    kernel::store(out.data, out.dtype, r == Reduction::Mean ? total / weight : total);
  }
  kernel::store(k.out[1].data, k.out[1].dtype, weight);
}

template <bool Plane> void adjoint(const NllLossBackward<Plane>& o, const KernelArgs& k) {
  const View &g = k.in[0], &out = k.out[0], &total = k.in[3];
  const auto r = reduction_of(o.reduction, o.op.function());
  const nll::Samples samples(out, k.in[1], k.has(2) ? &k.in[2] : nullptr, o.ignore_index,
                             o.op.function());
  kernel::walk<1>(*out.shape, {&out},
                  [&](const auto& at) { kernel::store(out.data + at[0], out.dtype, 0.0); });
  double scale = -1;
  if (r == Reduction::Mean) scale /= kernel::load<double>(total.data, total.dtype);
  // Layout of `g` without reduction. With reduction, all samples share its only element.
  const View unreduced_grad{nullptr, k.in[1].shape, g.strides, samples.count(), g.dtype, nullptr};
  std::int64_t i = 0;
  const auto store_gradient = [&](std::int64_t grad_offset) {
    const nll::Samples::Sample s = samples[i++];
    if (s.ignored) return;
    kernel::store(out.data + s.score * kernel::element_size(out), out.dtype,
                  scale * s.weight * kernel::load<double>(g.data + grad_offset, g.dtype));
  };
  if (r == Reduction::None)
    kernel::walk<1>(*unreduced_grad.shape, {&unreduced_grad},
                    [&](const auto& at) { store_gradient(at[0]); });
  else
    while (i < samples.count()) store_gradient(0);
}

}  // namespace

template <> void reference_kernel(const NllLoss<false>& o, const KernelArgs& k) { forward(o, k); }
template <> void reference_kernel(const NllLoss<true>& o, const KernelArgs& k) { forward(o, k); }
template <> void reference_kernel(const NllLossBackward<false>& o, const KernelArgs& k) {
  adjoint(o, k);
}
template <> void reference_kernel(const NllLossBackward<true>& o, const KernelArgs& k) {
  adjoint(o, k);
}

// Run by the gradient of cross_entropy_loss.
template struct NllLossBackward<false>;

TAPER_DEFINE_OP(nll_loss, NllLoss<false>);
TAPER_DEFINE_OP(nll_loss2d, NllLoss<true>);
TAPER_DEFINE_OP(nll_loss_backward, NllLossBackward<false>);
TAPER_DEFINE_OP(nll_loss2d_backward, NllLossBackward<true>);

Tensor nll_loss(const Tensor& x, const Tensor& target, OptionalTensorRef given_weight,
                std::int64_t ignore_index, const std::string& reduction) {
  const Tensor& weight = given_weight.value_or_undefined();
  if (x.defined() && x.dim() > 2)
    return run_all(NllLoss<true>{reduction, ignore_index}, x, target, weight)[0];
  return run_all(NllLoss<false>{reduction, ignore_index}, x, target, weight)[0];
}

}  // namespace taper
