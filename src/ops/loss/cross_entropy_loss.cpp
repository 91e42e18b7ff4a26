#include "ops/loss/cross_entropy_loss.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/loss/nll_kernel.h"
#include "ops/loss/reduction.h"
#include "ops/loss/softmax.h"
#include "ops/promote.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Returns the shape of the targets and of the statistics of the rows.
Shape check_operands(const ShapeInference& i, int scores) {
  const Shape& x = i.shape(scores);
  if (x.size() != 1 && x.size() != 2) i.fail("expected scores (C) or (N, C), got {}", x);
  Shape rows = x;
  rows.resize(x.size() - 1);
  if (i.shape(scores + 1) != rows)
    i.fail("expected target of shape {} for input of shape {}: got target of shape {}", rows, x,
           i.shape(scores + 1));
  if (i.dtype(scores + 1) != DType::i64 && i.dtype(scores + 1) != DType::u8)
    i.fail<DTypeError>("expected scalar type Long or Byte but found {}: target holds class indices",
                       i.dtype(scores + 1));
  if (i.has(scores + 2) &&
      (i.shape(scores + 2) != Shape{x.back()} || i.dtype(scores + 2) != i.dtype(scores)))
    i.fail("expected weights of {} classes in the dtype of the input, got {}", x.back(),
           i.shape(scores + 2));
  return rows;
}

/// Computes the gradient in terms of public ops, differentiably.
Tensor differentiable_gradient(const CrossEntropyLoss& o, BackwardContext<CrossEntropyLoss>& b) {
  const Tensor log_probabilities = b.input<0>().log_softmax(-1);
  const Tensor grad =
      run(NllLossBackward<false>{o.reduction, o.ignore_index, log_probabilities.shape()}, b.grad(),
          b.input<1>(), b.input<2>(), b.output<1>());
  return run(SoftmaxBackward<true>{-1}, grad, log_probabilities);
}

/// Returns the gradient that arrives through the statistics of the rows, differentiably: that of
/// the maximum is shared by equal scores, and the logarithm is relative to the maximum.
Tensor statistics_gradient(BackwardContext<CrossEntropyLoss>& b) {
  const Tensor x = b.input<0>(), is_maximum = x.eq(x.amax({-1}, true)).to(x.dtype());
  const Tensor shares = is_maximum.div(is_maximum.sum({-1}, true));
  const Tensor to_log_sum = b.grad(3).unsqueeze(-1), to_maximum = b.grad(2).unsqueeze(-1);
  return x.softmax(-1).mul(to_log_sum).add(shares.mul(to_maximum.sub(to_log_sum)));
}

}  // namespace

void CrossEntropyLoss::infer(ShapeInference& i) const {
  const auto r = reduction_of(reduction, "nll_loss");
  const Shape rows = check_operands(i, 0);
  const DType statistics = opmath_dtype(i.dtype(0));
  i.set_output(r == Reduction::None ? rows : Shape{}, i.dtype(0));
  i.set_output({}, i.dtype(0));
  i.set_output(rows, statistics);
  i.set_output(rows, statistics);
}

void CrossEntropyLoss::backward(BackwardContext<CrossEntropyLoss>& b) const {
  b[0] = is_grad_enabled()
             ? differentiable_gradient(*this, b)
             : run(CrossEntropyLossBackward{reduction, ignore_index}, b.grad(), b.input<0>(),
                   b.input<1>(), b.input<2>(), b.output<1>(), b.output<2>(), b.output<3>());
  if (b.has_grad(2) || b.has_grad(3)) b[0] = b[0].add(statistics_gradient(b));
}

void CrossEntropyLossBackward::infer(ShapeInference& i) const {
  const auto r = reduction_of(reduction, op.function());
  const Shape rows = check_operands(i, 1);
  for (const int operand : {1, 5, 6})
    if (!is_floating_point(i.dtype(operand)))
      i.fail<DTypeError>(
          "expected scores and statistics of a floating-point type, got {}, {} and {}", i.dtype(1),
          i.dtype(5), i.dtype(6));
  const Shape expected = r == Reduction::None ? rows : Shape{};
  if (i.shape(0) != expected || i.tensor(4).numel != 1 || i.shape(5) != rows || i.shape(6) != rows)
    i.fail(
        "expected a gradient of shape {}, one total weight and statistics of shape {}, got {}, "
        "{}, {} and {}",
        expected, rows, i.shape(0), i.shape(4), i.shape(5), i.shape(6));
  i.set_output(i.shape(1), i.dtype(1));
}

namespace {

/// Reads elements of any dtype as double.
struct Elements {
  const View& v;
  double operator[](std::int64_t offset) const {
    return kernel::load<double>(v.data + offset * kernel::element_size(v), v.dtype);
  }
  void set(std::int64_t offset, double value) const {
    kernel::store(v.data + offset * kernel::element_size(v), v.dtype, value);
  }
};

/// Offsets of the elements of row i of scores (C) or (N, C).
struct ScoreRows {
  std::int64_t classes, class_step, row_step;
  explicit ScoreRows(const View& x)
      : classes(x.shape->back()),
        class_step(x.strides->back()),
        row_step(x.shape->size() == 2 ? (*x.strides)[0] : 0) {}
  std::int64_t offset(std::int64_t i, std::int64_t c) const {
    return i * row_step + c * class_step;
  }
};

}  // namespace

template <> void reference_kernel(const CrossEntropyLoss& o, const KernelArgs& k) {
  const auto r = reduction_of(o.reduction, o.op.function());
  const nll::Samples samples(k.in[0], k.in[1], k.has(2) ? &k.in[2] : nullptr, o.ignore_index,
                             "nll_loss");
  const ScoreRows rows(k.in[0]);
  const Elements x{k.in[0]}, out{k.out[0]}, maximum{k.out[2]}, log_sum{k.out[3]};
  double total = 0, weight = 0;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    double max = -INFINITY, sum = 0;
    for (std::int64_t c = 0; c < rows.classes; ++c) max = std::fmax(max, x[rows.offset(i, c)]);
    for (std::int64_t c = 0; c < rows.classes; ++c) sum += std::exp(x[rows.offset(i, c)] - max);
    maximum.set(i, max), log_sum.set(i, std::log(sum));
    const nll::Samples::Sample s = samples[i];
    const double loss = s.ignored ? 0 : s.weight * ((max - x[s.score]) + std::log(sum));
    if (r == Reduction::None) out.set(i, loss);
    if (!s.ignored) total += loss, weight += s.weight;
  }
  if (r != Reduction::None) out.set(0, r == Reduction::Mean ? total / weight : total);
  Elements{k.out[1]}.set(0, r == Reduction::None ? 0 : weight);
}

template <> void reference_kernel(const CrossEntropyLossBackward& o, const KernelArgs& k) {
  const auto r = reduction_of(o.reduction, o.op.function());
  const nll::Samples samples(k.in[1], k.in[2], k.has(3) ? &k.in[3] : nullptr, o.ignore_index,
                             "nll_loss");
  const ScoreRows rows(k.in[1]), to(k.out[0]);
  const Elements g{k.in[0]}, x{k.in[1]}, maximum{k.in[5]}, log_sum{k.in[6]}, out{k.out[0]};
  const auto step = [](const View& v) { return v.shape->empty() ? 0 : v.strides->back(); };
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const nll::Samples::Sample s = samples[i];
    // Scores of several classes have the same offset if the input is expanded.
    const auto target = static_cast<std::int64_t>(Elements{k.in[2]}[i * step(k.in[2])]);
    double scale = s.ignored ? 0 : s.weight * g[i * step(k.in[0])];
    if (r == Reduction::Mean && !s.ignored) scale /= Elements{k.in[4]}[0];
    for (std::int64_t c = 0; c < rows.classes; ++c) {
      const std::int64_t at = rows.offset(i, c);
      const double p = std::exp((x[at] - maximum[i * step(k.in[5])]) - log_sum[i * step(k.in[6])]);
      out.set(to.offset(i, c), s.ignored ? 0 : scale * (p - (c == target ? 1 : 0)));
    }
  }
}

TAPER_DEFINE_OP(cross_entropy_loss, CrossEntropyLoss);
TAPER_DEFINE_OP(cross_entropy_loss_backward, CrossEntropyLossBackward);

Tensor class_cross_entropy(const CrossEntropyLoss& op, const Tensor& input, const Tensor& target,
                           OptionalTensorRef weight) {
  return run_all(op, input, target, weight.value_or_undefined())[0];
}

}  // namespace taper
