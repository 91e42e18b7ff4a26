#include "ops/rnn/rnn_layer.h"
#include "ops/autocast.h"

#include "ops/rnn/composed.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/rnn.h"

namespace taper {
namespace {

/// Positions of the inputs of RnnLayer and RnnLayerBackward.
struct Inputs {
  int hx, cx;
};

rnn::Mode checked_mode(std::string_view op, std::string_view name) {
  const std::optional<rnn::Mode> mode = rnn::mode_of(name);
  if (!mode)
    fail<ValueError>("{}: unknown mode '{}': expected 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'", op,
                     name);
  return *mode;
}

/// Throws ValueError unless `sizes` are numbers of rows of steps with `rows` rows in total.
void check_batch_sizes(std::string_view op, const Shape& sizes, std::int64_t rows) {
  if (sizes.empty()) fail<ValueError>("{}: expected at least one batch size, got none", op);
  std::int64_t rest = rows, before = sizes[0];
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > before || size > rest) {
      rest = -1;
      break;
    }
    before = size, rest -= size;
  }
  if (rest != 0)
    fail<ValueError>(
        "{}: batch sizes must not be negative, not increase, and have the sum {}: got {}", op, rows,
        sizes);
}

/// Checks the mode and the batch sizes, and the inputs that both ops share: input, weight_ih and
/// weight_hh in front, and the initial states. Returns the mode.
rnn::Mode check_layer(const ShapeInference& i, const std::string& mode_name,
                      const Shape& batch_sizes, const Inputs& at) {
  const rnn::Mode mode = checked_mode(i.op.function(), mode_name);
  for (std::size_t other = 1; other < i.ins.size(); ++other)
    if (i.ins[other].given() && i.dtype(static_cast<int>(other)) != i.dtype(0))
      i.fail<DTypeError>("expected tensors of dtype {}, got {}", i.dtype(0),
                         i.dtype(static_cast<int>(other)));
  const Shape &x = i.shape(0), &w = i.shape(1), &u = i.shape(2);
  if (x.size() != 2 || w.size() != 2 || u.size() != 2)
    i.fail("input and weights must be matrices: got shapes {}, {} and {}", x, w, u);
  const std::int64_t gates = Shape{rnn::gate_count(mode), u[1]}.numel();
  if (w[1] != x[1] || w[0] != gates || u[0] != gates)
    i.fail(
        "weights do not match the input and each other: got input {}, weight_ih {}, weight_hh {}",
        x, w, u);
  check_batch_sizes(i.op.function(), batch_sizes, x[0]);
  const Shape state{batch_sizes[0], u[1]};
  if (i.has(at.hx) && i.shape(at.hx) != state)
    i.fail("expected hx of shape {}, got {}", state, i.shape(at.hx));
  if (i.has(at.cx) && (mode != rnn::Mode::lstm || i.shape(at.cx) != state))
    i.fail("expected cx of shape {} for an LSTM, got {} for mode '{}'", state, i.shape(at.cx),
           mode_name);
  return mode;
}

Shape workspace_shape(rnn::Mode mode, std::int64_t rows, std::int64_t hidden) {
  return {rows, Shape{rnn::workspace_parts(mode), hidden}.numel()};
}

double layer_flops(const KernelArgs& k) {
  const Shape &w = *k.in[1].shape, &u = *k.in[2].shape;
  return 2.0 * static_cast<double>((*k.in[0].shape)[0]) * static_cast<double>(w[0]) *
         static_cast<double>(w[1] + u[1]);
}

}  // namespace

void RnnLayer::infer(ShapeInference& i) const {
  const rnn::Mode m = check_layer(i, mode, batch_sizes, {5, 6});
  const Shape &x = i.shape(0), &u = i.shape(2);
  for (const int bias : {3, 4})
    if (i.has(bias) && i.shape(bias) != Shape{u[0]})
      i.fail("expected biases of shape [{}], got {}", u[0], i.shape(bias));
  const DType t = i.dtype(0);
  const Shape state{batch_sizes[0], u[1]};
  i.set_output({x[0], u[1]}, t);
  i.set_output(state, t);
  i.set_optional_output(m == rnn::Mode::lstm, state, t);
  i.set_optional_output(train, workspace_shape(m, x[0], u[1]), t);
}

void RnnLayerBackward::infer(ShapeInference& i) const {
  const rnn::Mode m = check_layer(i, mode, batch_sizes, {3, 4});
  const Shape &x = i.shape(0), &w = i.shape(1), &u = i.shape(2);
  const Shape state{batch_sizes[0], u[1]};
  if (i.shape(5) != workspace_shape(m, x[0], u[1]))
    i.fail("expected a workspace of shape {}, got {}", workspace_shape(m, x[0], u[1]), i.shape(5));
  if (i.has(6) && i.shape(6) != Shape{x[0], u[1]})
    i.fail("expected grad_output of shape [{}, {}], got {}", x[0], u[1], i.shape(6));
  for (const int grad : {7, 8})
    if (i.has(grad) && i.shape(grad) != state)
      i.fail("expected gradients of the final states of shape {}, got {}", state, i.shape(grad));
  const DType t = i.dtype(0);
  i.set_optional_output(compute_grad_input, x, t);
  i.set_optional_output(compute_grad_weight_ih, w, t);
  i.set_optional_output(compute_grad_weight_hh, u, t);
  i.set_optional_output(compute_grad_biases, {2, u[0]}, t);
  i.set_optional_output(compute_grad_hx, state, t);
  i.set_optional_output(compute_grad_cx && m == rnn::Mode::lstm, state, t);
}

double RnnLayer::flops(const KernelArgs& k) const { return layer_flops(k); }
double RnnLayerBackward::flops(const KernelArgs& k) const {
  const Shape &w = *k.in[1].shape, &u = *k.in[2].shape;
  const auto inputs = static_cast<double>(w[1]), hidden = static_cast<double>(u[1]);
  const double products = inputs * (compute_grad_input + compute_grad_weight_ih) +
                          hidden * (1 + compute_grad_weight_hh);
  return 2.0 * static_cast<double>((*k.in[0].shape)[0]) * static_cast<double>(w[0]) * products;
}

namespace {

constexpr int kInputs = 7;

/// Differentiates the composition of ops that computes the same outputs. The gradients are
/// differentiable if gradient mode is enabled.
void differentiate_composition(const RnnLayer& o, BackwardContext<RnnLayer>& b,
                               std::array<Tensor, kInputs> in) {
  const bool differentiable = is_grad_enabled();
  const EnableGrad enable;
  std::vector<Tensor> wanted;
  for (int i = 0; i < kInputs; ++i) {
    Tensor& t = in[static_cast<std::size_t>(i)];
    if (!t.defined()) continue;
    // A view separates the uses of the layer from other uses of a tensor, including those by
    // another input.
    if (differentiable && t.requires_grad())
      t = t.view_as(t);
    else
      t = t.detach();
    if (!b.needs_input_grad(i)) continue;
    if (!t.requires_grad()) t.set_requires_grad();
    wanted.push_back(t);
  }
  Tensor workspace;
  const RNNLayerOutput y =
      rnn::compose_layer(in[0], {in[1], in[2], in[3], in[4]}, in[5], in[6], o.mode, o.batch_sizes,
                         o.reverse, b.has_grad(3) ? &workspace : nullptr);
  const Tensor* const outputs[] = {&y.output, &y.hy, &y.cy, &workspace};
  std::vector<Tensor> given, grads;
  for (int i = 0; i < 4; ++i)
    if (b.has_grad(i)) given.push_back(*outputs[i]), grads.push_back(b.grad(i));
  const std::vector<Tensor> results = autograd::grad(
      given, wanted, {.grad_outputs = grads, .create_graph = differentiable, .allow_unused = true});
  auto result = results.begin();
  for (int i = 0; i < kInputs; ++i)
    if (in[static_cast<std::size_t>(i)].defined() && b.needs_input_grad(i)) b[i] = *result++;
}

}  // namespace

void RnnLayer::backward(BackwardContext<RnnLayer>& b) const {
  const std::array<Tensor, kInputs> in{b.input<0>(), b.input<1>(), b.input<2>(), b.input<3>(),
                                       b.input<4>(), b.input<5>(), b.input<6>()};
  Tensor workspace = train ? b.output<3>() : Tensor();
  if (is_grad_enabled() || b.has_grad(3)) return differentiate_composition(*this, b, in);
  if (!train) {
    RnnLayer again = *this;
    again.train = true;
    workspace = run_all(again, in[0], in[1], in[2], in[3], in[4], in[5], in[6])[3];
  }
  const auto grad_or_none = [&](int i) { return b.has_grad(i) ? b.grad(i) : Tensor(); };
  const bool needs_biases = b.needs_input_grad(3) || b.needs_input_grad(4);
  auto [dx, dw, du, biases, dh, dc] =
      run_all(RnnLayerBackward{mode, batch_sizes, reverse, b.needs_input_grad(0),
                               b.needs_input_grad(1), b.needs_input_grad(2), needs_biases,
                               b.needs_input_grad(5), b.needs_input_grad(6)},
              in[0], in[1], in[2], in[5], in[6], workspace, grad_or_none(0), grad_or_none(1),
              grad_or_none(2));
  b[0] = std::move(dx), b[1] = std::move(dw), b[2] = std::move(du);
  for (const int bias : {3, 4})  // separate tensors, which can become gradients of parameters
    if (b.needs_input_grad(bias)) b[bias] = biases.select(0, bias - 3).clone();
  b[5] = std::move(dh), b[6] = std::move(dc);
}

TAPER_DEFINE_OP(rnn_layer, RnnLayer);
TAPER_DEFINE_OP(rnn_layer_backward, RnnLayerBackward);

RNNLayerOutput rnn_layer(const Tensor& input, const RNNLayerWeights& w, const Tensor& hx,
                         const Tensor& cx, std::string_view mode, const Shape& batch_sizes,
                         bool reverse) {
  // The products of the composition are cast under autocast, as in PyTorch.
  bool has_kernel = !tls.autocast && !w.weight_hr.defined(), has_grad = false;
  for (const Tensor* t : {&input, &w.weight_ih, &w.weight_hh, &w.bias_ih, &w.bias_hh, &hx, &cx}) {
    if (!t->defined()) continue;
    has_kernel = has_kernel && t->device().is_cpu() && t->dtype() == DType::f32;
    has_grad |= t->requires_grad();
  }
  if (!has_kernel) {
    checked_mode("rnn_layer", mode);
    check_batch_sizes("rnn_layer", batch_sizes, input.size(0));
    return rnn::compose_layer(input, w, hx, cx, mode, batch_sizes, reverse);
  }
  auto [output, hy, cy, workspace] =
      run_all(RnnLayer{std::string(mode), batch_sizes, reverse, has_grad && is_grad_enabled()},
              input, w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh, hx, cx);
  return {std::move(output), std::move(hy), std::move(cy)};
}

}  // namespace taper
