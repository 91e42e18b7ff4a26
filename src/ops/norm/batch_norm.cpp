#include "ops/norm/batch_norm.h"

#include "core/add_to.h"
#include "ops/kernel/channels_last.h"
#include "ops/promote.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/norm.h"

namespace taper {
namespace {

void check_parameter(const ShapeInference& i, int at, std::string_view name,
                     std::int64_t channels) {
  if (!i.has(at)) return;
  if (i.tensor(at).numel != channels || i.rank(at) != 1)
    i.fail("{} should contain {} elements not {} (shape {})", name, channels, i.tensor(at).numel,
           i.shape(at));
  const DType t = i.dtype(0), p = i.dtype(at);
  if (p != t && p != opmath_dtype(t))
    i.fail<DTypeError>(
        "mixed dtype (CPU): expect parameter to have scalar type of {}, got {} of {}",
        legacy_name(opmath_dtype(t)), name, legacy_name(p));
}

void set_channels_output(ShapeInference& i, bool wanted, int like) {
  i.outs[i.num_outputs].channels_last = kernel::suggests_channels_last(i.tensor(like));
  i.set_optional_output(wanted, i.shape(like), i.dtype(like));
}

}  // namespace

void BatchNorm::infer(ShapeInference& i) const {
  const Shape& x = i.shape(0);
  if (x.size() < 2) i.fail("expected an input of at least 2 dimensions (N, C, ...), got {}", x);
  if (!training)
    for (int at : {3, 4})
      if (!i.has(at))
        i.fail<RuntimeError>("{} must be defined in evaluation mode",
                             at == 3 ? "running_mean" : "running_var");
  check_parameter(i, 3, "running_mean", x[1]);
  check_parameter(i, 4, "running_var", x[1]);
  check_parameter(i, 1, "weight", x[1]);
  check_parameter(i, 2, "bias", x[1]);
  if (eps < 0) i.fail<ValueError>("eps must be non-negative, but got {}", eps);
  const DType stats = opmath_dtype(i.dtype(0));
  set_channels_output(i, true, 0);
  i.set_output({x[1]}, stats);
  i.set_output({x[1]}, stats);
  i.set_optional_output(wants_variance, {x[1]}, stats);
}

void BatchNormBackward::infer(ShapeInference& i) const {
  const Shape &g = i.shape(0), &x = i.shape(1);
  const Shape channels{x.size() < 2 ? 0 : x[1]};
  const bool fits = x.size() >= 2 && g == x && i.shape(2) == channels && i.shape(3) == channels &&
                    (!i.has(4) || i.shape(4) == channels);
  if (!fits)
    i.fail(
        "inconsistent shapes: got grad {}, input {}, save_mean {}, save_invstd {}{}; expected grad "
        "of the shape of the input (N, C, ...) and (C) for the others",
        g, x, i.shape(2), i.shape(3), i.has(4) ? ", weight " + i.shape(4).str() : "");
  const DType parameters = i.has(4) ? i.dtype(4) : opmath_dtype(i.dtype(1));
  set_channels_output(i, compute_grad_input, 1);
  i.set_optional_output(compute_grad_weight, channels, parameters);
  i.set_optional_output(compute_grad_bias, channels, parameters);
}

namespace {

/// Helpers of the second-order gradients: per-channel tensors (1, C, 1, ...), and sums and means
/// over all other dimensions.
struct Channels {
  Shape channel_shape;
  Dims reduced_dims{0};
  double count;

  explicit Channels(const Shape& x) : channel_shape(Shape::filled(x.size(), 1)) {
    channel_shape[1] = x[1];
    for (std::size_t d = 2; d < x.size(); ++d) reduced_dims.push_back(static_cast<std::int64_t>(d));
    count = static_cast<double>(x.numel()) / static_cast<double>(x[1] > 0 ? x[1] : 1);
  }
  Tensor to_channel_shape(const Tensor& t) const { return t.view(channel_shape); }
  Tensor sum(const Tensor& t) const { return t.sum(reduced_dims, true); }
  Tensor mean(const Tensor& t) const { return sum(t).mul(1 / count); }
  Tensor flatten(const Tensor& t) const { return t.view({channel_shape[1]}); }
  /// Removes the mean of `t` and its projection onto `along`.
  Tensor project(const Tensor& t, const Tensor& along) const {
    return t.add(mean(t), -1).add(along.mul(mean(t.mul(along))), -1);
  }
};

}  // namespace

void BatchNorm::backward(BackwardContext<BatchNorm>& b) const {
  const Tensor x = b.input<0>();
  if (b.has_grad(0)) {
    auto [dx, dw, db] = run_all(BatchNormBackward{training, b.needs_input_grad(0),
                                                  b.needs_input_grad(1), b.needs_input_grad(2)},
                                b.grad(0), x, b.output<1>(), b.output<2>(), b.input<1>());
    b[0] = std::move(dx), b[1] = std::move(dw), b[2] = std::move(db);
  }
  // The statistics are functions of the input. Their gradients arrive from the second-order
  // backward pass.
  if (!training || !b.needs_input_grad(0) || !(b.has_grad(1) || b.has_grad(2) || b.has_grad(3)))
    return;
  const Channels c(x.shape());
  const Tensor centered = x.add(c.to_channel_shape(b.output<1>()), -1),
               s = c.to_channel_shape(b.output<2>());
  Tensor dx = b[0];
  if (b.has_grad(1)) add_to(dx, c.to_channel_shape(b.grad(1)).mul(1 / c.count).expand(x.shape()));
  if (b.has_grad(2))
    add_to(dx, centered.mul(s).mul(c.to_channel_shape(b.grad(2)).mul(s).mul(s).mul(-1 / c.count)));
  if (b.has_grad(3)) add_to(dx, centered.mul(c.to_channel_shape(b.grad(3))).mul(2 / c.count));
  b[0] = dx;
}

void BatchNormBackward::backward(BackwardContext<BatchNormBackward>& b) const {
  // With n = (x - mean) * s and P(t) = t - mean(t) - n * mean(t * n), the gradients in training
  // mode are dx = w s P(g), dw = sum(g n), db = sum(g). P is symmetric and dn/dx = s P. u, v, z are
  // the gradients of dx, dw and db.
  const Tensor g = b.input<0>(), x = b.input<1>();
  const Channels c(x.shape());
  const Tensor s = c.to_channel_shape(b.input<3>()),
               n = x.add(c.to_channel_shape(b.input<2>()), -1).mul(s);
  const Tensor scale = b.input<4>().defined() ? s.mul(c.to_channel_shape(b.input<4>())) : s;
  const bool has_u = b.has_grad(0), has_v = b.has_grad(1);
  const Tensor v = has_v ? c.to_channel_shape(b.grad(1)) : Tensor();
  const Tensor u = has_u ? b.grad(0) : Tensor();
  const auto project_if_training = [&](const Tensor& t) { return training ? c.project(t, n) : t; };
  if (b.needs_input_grad(0)) {
    if (u.defined()) add_to(b[0], project_if_training(u).mul(scale));
    if (v.defined()) add_to(b[0], n.mul(v));
    if (b.has_grad(2)) add_to(b[0], c.to_channel_shape(b.grad(2)).expand(x.shape()));
  }
  if (b.needs_input_grad(4) && u.defined())
    b[4] = c.flatten(c.sum(u.mul(project_if_training(g))).mul(s));
  if (!b.needs_input_grad(1)) return;
  if (!training) {
    if (v.defined()) b[1] = g.mul(v.mul(s));
    return;
  }
  Tensor grad_n;  // gradient of n
  if (u.defined()) {
    const Tensor gn = c.mean(g.mul(n)), un = c.mean(u.mul(n));
    grad_n = u.mul(gn).add(g.mul(un)).mul(scale).mul(-1);
    const Tensor overlap = c.sum(u.mul(c.project(g, n)));
    add_to(b[1], n.mul(overlap.mul(scale).mul(s)).mul(-1 / c.count));
  }
  if (v.defined()) add_to(grad_n, g.mul(v));
  if (grad_n.defined()) add_to(b[1], c.project(grad_n, n).mul(s));
}

TAPER_DEFINE_OP(native_batch_norm, BatchNorm);
TAPER_DEFINE_OP(native_batch_norm_backward, BatchNormBackward);
TAPER_DEFINE_OP(running_average, RunningAverage);

Tensor batch_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                  OptionalTensorRef running_mean, OptionalTensorRef running_var, bool training,
                  FloatArg momentum, FloatArg eps, [[maybe_unused]] bool cudnn_enabled) {
  const Shape& x = input.shape();
  // As in PyTorch, an empty input need not have channels in evaluation.
  if (!training && x.size() == 1 && x[0] == 0) return input.clone();
  const double values = x.size() < 2 || x[1] == 0
                            ? 0
                            : static_cast<double>(input.numel()) / static_cast<double>(x[1]);
  if (training && values == 1)
    fail<ValueError>(
        "batch_norm: Expected more than 1 value per channel when training, got input size "
        "torch.Size({})",
        x);
  if (training && bool(running_mean) != bool(running_var))
    fail<ValueError>(
        "batch_norm: running_mean and running_var must either both be None or neither be None");
  auto [y, mean, invstd, variance] =
      run_all(BatchNorm{training, eps, training && running_var}, input, weight.value_or_undefined(),
              bias.value_or_undefined(), running_mean.value_or_undefined(),
              running_var.value_or_undefined());
  if (training && values > 0) {
    NoGrad guard;
    if (running_mean) run_inplace(RunningAverage{momentum, 1}, *running_mean, mean);
    if (running_var)
      run_inplace(RunningAverage{momentum, values / (values - 1)}, *running_var, variance);
  }
  return y;
}

}  // namespace taper
