// CrossMapLRN2d. Forward and backward follow PyTorch's Python function step by step, because
// neither is a window sum that an op computes: see the class.
#include <algorithm>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/nn/normalization.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(CrossMapLRN2d)

namespace {

struct Window {
  std::int64_t size = 0;
  double alpha = 0, beta = 0, k = 0;
};

/// Returns alpha / size * sums + k, where sums are those of the squares in the window of a channel.
Tensor denominators(const Tensor& input, const Window& w) {
  const Tensor squares = input.square(), scale = empty_like(input);
  const std::int64_t channels = input.size(1), half = (w.size - 1) / 2 + 1;
  const Tensor first = scale.select(1, 0).zero_();
  for (std::int64_t c = 0; c < std::min(half, channels); ++c) first.add_(squares.select(1, c));
  for (std::int64_t c = 1; c < channels; ++c) {
    const Tensor sum = scale.select(1, c).copy_(scale.select(1, c - 1));
    if (c < channels - half + 1) sum.add_(squares.select(1, c + half - 1));
    if (c > half) sum.sub_(squares.select(1, c - half));
  }
  return scale.mul_(w.alpha / static_cast<double>(w.size)).add_(w.k);
}

struct CrossMapLRN2dFunction : autograd::Function<CrossMapLRN2dFunction> {
  static constexpr bool once_differentiable = true;
  static Tensor forward(autograd::Context& ctx, const Tensor& input, const Window& w) {
    const Tensor scale = denominators(input, w), output = input * scale.pow(-w.beta);
    ctx.state<std::pair<Window, Tensor>>() = {w, scale};
    ctx.save_for_backward({input, output});
    return output;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const auto saved = ctx.saved_tensors();
    const Tensor &input = saved[0], &output = saved[1];
    const auto& [w, scale] = ctx.state<std::pair<Window, Tensor>>();
    if (w.size < 2) fail<ValueError>("CrossMapLRN2d: backward requires size > 1: got {}", w.size);
    const std::int64_t channels = input.size(1);
    Shape padded_shape = input.shape();
    padded_shape[1] = channels + w.size - 1;
    const Tensor padded = input.new_zeros(padded_shape);
    padded.narrow(1, (w.size + 1) / 2, channels).copy_(grads[0] * output / scale);
    const Tensor sum = padded.narrow(1, 0, w.size - 1).sum(1);
    const Tensor grad = scale.pow(-w.beta) * grads[0];
    const double factor = -2 * w.alpha * w.beta / static_cast<double>(w.size);
    for (std::int64_t c = 0; c < channels; ++c) {
      sum.add_(padded.select(1, c + w.size - 1));
      grad.select(1, c).addcmul_(input.select(1, c), sum, factor);
      sum.sub_(padded.select(1, c));
    }
    return {grad, Tensor()};
  }
};

}  // namespace

Tensor CrossMapLRN2d::forward(const Tensor& input) const {
  check_called();
  if (input.dim() != 4)
    fail<ShapeError>("CrossMapLRN2d: Expected input to be 4D, got {}D instead.", input.dim());
  if (input.size(1) == 0)
    fail<ShapeError>("CrossMapLRN2d: expected at least one channel: got shape {}", input.shape());
  if (size <= 0) fail<ValueError>("CrossMapLRN2d: size must be positive, got {}", size);
  if (!input.is_floating_point())
    fail<DTypeError>("CrossMapLRN2d: expected a floating-point input: got {}", input.dtype());
  return CrossMapLRN2dFunction::apply(input, Window{size, alpha, beta, k.to_double()});
}
std::string CrossMapLRN2d::extra_repr() const {
  return std::to_string(size) + ", alpha=" + python_text(alpha) + ", beta=" + python_text(beta) +
         ", k=" + k.str();
}

TAPER_OPTIONS_SCHEMA(CrossMapLRN2d, "normalization", size)

}  // namespace taper::nn
