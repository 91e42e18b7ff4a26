#include "vision/layers.h"

#include <algorithm>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/scalar.h"
#include "taper/nn/init.h"

namespace vision {

using namespace taper;

NormLayer batch_norm(const nn::BatchNormOptions& options) {
  return [options](std::int64_t channels) {
    return std::make_shared<nn::BatchNorm2d>(channels, options);
  };
}

NormLayer group_norm(IntArg groups, const nn::GroupNormOptions& options) {
  return [groups, options](std::int64_t channels) {
    return std::make_shared<nn::GroupNorm>(groups, channels, options);
  };
}

NormLayer layer_norm(const nn::LayerNormOptions& options) {
  return [options](std::int64_t channels) {
    return std::make_shared<nn::LayerNorm>(Shape{channels}, options);
  };
}

std::int64_t make_divisible(double v, std::int64_t divisor) {
  const auto rounded =
      static_cast<std::int64_t>(v + static_cast<double>(divisor) / 2) / divisor * divisor;
  const std::int64_t result = std::max(divisor, rounded);
  return static_cast<double>(result) < 0.9 * v ? result + divisor : result;
}

void initialize_convolutions(nn::Module& network) {
  for (nn::Module* m : network.modules()) {
    const auto conv = m->as<nn::Conv2d>();
    if (!conv) continue;
    nn::init::kaiming_normal_(conv->weight, 0, "fan_out");
    if (conv->bias) nn::init::zeros_(*conv->bias);
  }
}

void initialize_linear_layers(nn::Module& network) {
  for (nn::Module* m : network.modules()) {
    const auto linear = m->as<nn::Linear>();
    if (!linear) continue;
    nn::init::normal_(linear->weight, 0, 0.01);
    if (linear->bias) nn::init::zeros_(*linear->bias);
  }
}

TAPER_LAYER_MEMBERS(Conv2dNormActivation)

Conv2dNormActivation::Conv2dNormActivation(std::int64_t in, std::int64_t out,
                                           const ConvNormActivationOptions& o) {
  const std::int64_t padding = o.padding.value_or((o.kernel_size - 1) / 2 * o.dilation);
  append(nn::Conv2d(in, out, o.kernel_size,
                    {.stride = {o.stride},
                     .padding = padding,
                     .dilation = {o.dilation},
                     .groups = o.groups,
                     .bias = o.bias}));
  append(o.norm_layer(out));
  if (o.activation) append(o.activation());
}

TAPER_LAYER_MEMBERS(SqueezeExcitation, avgpool, fc1, fc2, activation, scale_activation)

SqueezeExcitation::SqueezeExcitation(std::int64_t channels, std::int64_t squeezed,
                                     ActivationLayer make_activation,
                                     ActivationLayer make_scale_activation)
    : avgpool(1),
      fc1(channels, squeezed, 1),
      fc2(squeezed, channels, 1),
      activation(make_activation()),
      scale_activation(make_scale_activation()) {}

Tensor SqueezeExcitation::forward(const Tensor& x) const {
  const Tensor squeezed = (*activation)(fc1(avgpool(x)));
  return (*scale_activation)(fc2(squeezed)) * x;
}

TAPER_LAYER_MEMBERS(StochasticDepth)

StochasticDepth::StochasticDepth(double probability) : p(probability) {
  if (!(p >= 0 && p <= 1))
    throw ValueError("drop probability has to be between 0 and 1, but got " + python_repr(p));
}

Tensor StochasticDepth::forward(const Tensor& x) const {
  if (!training || p == 0) return x;
  Shape shape(std::vector<std::int64_t>(static_cast<std::size_t>(x.dim()), 1));
  shape[0] = x.size(0);
  const Tensor noise = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  noise.bernoulli_(1 - p);
  if (p < 1) noise.div_(1 - p);
  return x * noise;
}

std::string StochasticDepth::extra_repr() const { return "p=" + python_repr(p) + ", mode=row"; }

}  // namespace vision
