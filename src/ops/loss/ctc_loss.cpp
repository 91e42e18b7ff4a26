#include "ops/loss/ctc_loss.h"

#include <limits>

#include "ops/loss/ctc_kernel.h"
#include "ops/loss/reduction.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/ctc_loss.h"

namespace taper {
namespace {

/// Limits the number of states of an alignment, 2 S + 1, which must not overflow.
constexpr std::int64_t kMaxTargets = std::int64_t{1} << 40;

/// Checks the inputs from `first` on: log_probs, targets and lengths.
void check_inputs(const ShapeInference& i, int first) {
  const Shape& x = i.shape(first);
  if (x.size() != 3) i.fail("expected log_probs of shape (T, N, C) or (T, C), got {}", x);
  if (x.numel() == 0) i.fail("log_probs tensor must not be empty: got shape {}", x);
  if (i.rank(first + 1) != 2 || i.shape(first + 1)[0] != x[1])
    i.fail("expected targets of shape ({}, S), got {}", x[1], i.shape(first + 1));
  if (i.shape(first + 1)[1] > kMaxTargets)
    i.fail("expected at most {} targets per sample, got {}", kMaxTargets, i.shape(first + 1)[1]);
  for (const int lengths : {first + 2, first + 3})
    if (!(i.shape(lengths) == Shape{x[1]}))
      i.fail("{} must be of size batch_size: got {}, expected [{}]",
             lengths == first + 2 ? "input_lengths" : "target_lengths", i.shape(lengths), x[1]);
  for (const int integers : {first + 1, first + 2, first + 3})
    if (i.dtype(integers) != DType::i64)
      i.fail<DTypeError>("expected targets and lengths of dtype int64, got {}", i.dtype(integers));
}

Shape alpha_shape(const Shape& x, const Shape& targets) { return {x[1], x[0], 2 * targets[1] + 1}; }

}  // namespace

void CtcLoss::infer(ShapeInference& i) const {
  check_inputs(i, 0);
  i.set_output({i.shape(0)[1]}, i.dtype(0));
  i.set_output(alpha_shape(i.shape(0), i.shape(1)), i.dtype(0));
}

void CtcLossBackward::infer(ShapeInference& i) const {
  check_inputs(i, 1);
  const Shape losses{i.shape(1)[1]};
  if (!(i.shape(0) == losses) || !(i.shape(5) == losses) ||
      !(i.shape(6) == alpha_shape(i.shape(1), i.shape(2))))
    i.fail("inconsistent shapes: got grad_output {}, output {} and log_alpha {}", i.shape(0),
           i.shape(5), i.shape(6));
  for (const int same : {0, 5, 6})
    if (i.dtype(same) != i.dtype(1))
      i.fail<DTypeError>("expected tensors of dtype {}, got {}", i.dtype(1), i.dtype(same));
  i.set_output(i.shape(1), i.dtype(1));
}

namespace {

/// Returns a function of step and class that reads an element of sample n.
auto reader_of(const View& x, std::int64_t n) {
  return [&x, n](std::int64_t t, std::int64_t c) {
    const Shape& strides = *x.strides;
    return kernel::load<double>(
        x.data + (t * strides[0] + n * strides[1] + c * strides[2]) * kernel::element_size(x),
        x.dtype);
  };
}

double element_at(const View& v, std::int64_t n) {
  return kernel::load<double>(v.data + n * (*v.strides)[0] * kernel::element_size(v), v.dtype);
}

}  // namespace

template <> void reference_kernel(const CtcLoss& o, const KernelArgs& k) {
  const ctc::Samples s(*k.in[0].shape, k.in[1], k.in[2], k.in[3], o.blank);
  const View &loss = k.out[0], &out = k.out[1];
  std::vector<double> alpha(static_cast<std::size_t>(s.steps * s.states()));
  for (std::int64_t n = 0; n < s.count; ++n) {
    kernel::store(loss.data + n * (*loss.strides)[0] * kernel::element_size(loss), loss.dtype,
                  ctc::forward(s, n, reader_of(k.in[0], n), alpha.data()));
    for (std::size_t i = 0; i < alpha.size(); ++i)  // the output is row-major
      kernel::store(out.data + (static_cast<std::size_t>(n) * alpha.size() + i) *
                                   static_cast<std::size_t>(kernel::element_size(out)),
                    out.dtype, alpha[i]);
  }
}

template <> void reference_kernel(const CtcLossBackward& o, const KernelArgs& k) {
  const ctc::Samples s(*k.in[1].shape, k.in[2], k.in[3], k.in[4], o.blank);
  const View &log_alpha = k.in[6], &out = k.out[0];
  std::vector<double> alpha;
  kernel::walk<1>(*log_alpha.shape, {&log_alpha}, [&](const std::array<std::int64_t, 1>& at) {
    alpha.push_back(kernel::load<double>(log_alpha.data + at[0], log_alpha.dtype));
  });
  for (std::int64_t n = 0; n < s.count; ++n)
    ctc::backward(s, n, element_at(k.in[5], n), element_at(k.in[0], n), o.zero_infinity,
                  reader_of(k.in[1], n), alpha.data() + n * s.steps * s.states(),
                  [&](std::int64_t t, std::int64_t c, double value) {
                    const Shape& strides = *out.strides;
                    kernel::store(out.data + (t * strides[0] + n * strides[1] + c * strides[2]) *
                                                 kernel::element_size(out),
                                  out.dtype, value);
                  });
}

TAPER_DEFINE_OP(ctc_loss, CtcLoss);
TAPER_DEFINE_OP(ctc_loss_backward, CtcLossBackward);

namespace {

/// Records ctc_loss as one node that cannot be differentiated twice, as in PyTorch. The op cannot
/// have a gradient rule, because its gradient is not that of its input alone.
struct CtcLossFunction : autograd::Function<CtcLossFunction> {
  static constexpr bool once_differentiable = true;
  static Tensor forward(autograd::Context& ctx, const Tensor& log_probs, const Tensor& targets,
                        const Tensor& input_lengths, const Tensor& target_lengths,
                        CtcLossBackward gradient) {
    const auto [loss, alpha] =
        run_all(CtcLoss{gradient.blank}, log_probs, targets, input_lengths, target_lengths);
    ctx.state<CtcLossBackward>() = gradient;
    ctx.save_for_backward({log_probs, targets, input_lengths, target_lengths, loss, alpha});
    return loss;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const std::vector<Tensor> t = ctx.saved_tensors();
    return {run(ctx.state<CtcLossBackward>(), grads[0], t[0], t[1], t[2], t[3], t[4], t[5]),
            {},
            {},
            {},
            {}};
  }
};

/// Returns lengths as int64 on the CPU, one per sample.
Tensor lengths_of(const Tensor& given, std::int64_t samples, std::string_view name) {
  if (given.is_floating_point() || given.dtype() == DType::bool_)
    fail<DTypeError>("ctc_loss: {} must be integral, got {}", name, given.dtype());
  if (given.dim() > 1 || given.numel() != samples)
    fail<ShapeError>("ctc_loss: {} must be of size batch_size: got {}, expected [{}]", name,
                     given.shape(), samples);
  return given.to(DType::i64).reshape({samples});
}

/// Returns concatenated targets as rows `(N, S)`, padded with zeros.
Tensor pad_targets(const Tensor& targets, const Tensor& target_lengths) {
  std::vector<std::int64_t> lengths;
  std::int64_t total = 0, width = 0;
  for (std::int64_t n = 0; n < target_lengths.numel(); ++n) {
    const auto length = target_lengths[n].item<std::int64_t>();
    if (length < 0 || length > targets.numel())
      fail<ValueError>(
          "ctc_loss: Expected target_lengths to have values between 0 and {}, but got value {}",
          targets.numel(), length);
    lengths.push_back(length);
    total += length, width = std::max(width, length);
  }
  if (total != targets.size(0))
    fail<ShapeError>(
        "ctc_loss: Expected targets to have size {} at dimension 0, the sum of target_lengths, but "
        "got size {}",
        total, targets.size(0));
  const Tensor rows = zeros({target_lengths.numel(), width}, {.dtype = DType::i64});
  std::int64_t begin = 0;
  for (std::size_t n = 0; n < lengths.size(); begin += lengths[n++])
    rows[static_cast<std::int64_t>(n)]
        .narrow(0, 0, lengths[n])
        .copy_(targets.narrow(0, begin, lengths[n]));
  return rows;
}

}  // namespace

Tensor ctc_loss(const Tensor& given_log_probs, const Tensor& given_targets,
                const Tensor& given_input_lengths, const Tensor& given_target_lengths, IntArg blank,
                IntArg reduction, bool zero_infinity) {
  const auto r = reduction_of(reduction, "ctc_loss");
  const bool is_batch = given_log_probs.dim() == 3;
  if (!is_batch && given_log_probs.dim() != 2)
    fail<ShapeError>("ctc_loss: expected log_probs of shape (T, N, C) or (T, C), got {}",
                     given_log_probs.shape());
  if (given_targets.dim() != 1 && given_targets.dim() != 2)
    fail<ShapeError>("ctc_loss: Expected targets of 1 to 2 dimensions, but got shape {}",
                     given_targets.shape());
  const Tensor log_probs = is_batch ? given_log_probs : given_log_probs.unsqueeze(1);
  const std::int64_t samples = log_probs.size(1);
  const Tensor input_lengths = lengths_of(given_input_lengths, samples, "input_lengths");
  const Tensor target_lengths = lengths_of(given_target_lengths, samples, "target_lengths");
  const Tensor labels = given_targets.detach().to(DType::i64);
  const Tensor targets = labels.dim() == 2 ? labels : pad_targets(labels, target_lengths);

  Tensor losses = CtcLossFunction::apply(log_probs, targets, input_lengths, target_lengths,
                                         CtcLossBackward{blank, zero_infinity});
  if (zero_infinity) losses = where(losses == std::numeric_limits<double>::infinity(), 0, losses);
  if (r == Reduction::Mean) return (losses / target_lengths.clamp_min(1)).mean();
  return reduce_terms(is_batch ? losses : losses.reshape({}), r);
}

namespace {

Tensor tensor_of(const Shape& lengths) {
  return tensor(std::vector<std::int64_t>(lengths.begin(), lengths.end()));
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Shape& input_lengths,
                const Shape& target_lengths, IntArg blank, IntArg reduction, bool zero_infinity) {
  return ctc_loss(log_probs, targets, tensor_of(input_lengths), tensor_of(target_lengths), blank,
                  reduction, zero_infinity);
}

}  // namespace taper
