#include "vision/mobilenet_v2.h"

#include <algorithm>
#include <cmath>

#include "taper/core/error.h"

namespace vision {

using namespace taper;

namespace {

/// Expands the channels by a 1x1 convolution, filters each by a 3x3 convolution, and projects them
/// by a 1x1 convolution without activation.
struct InvertedResidual : nn::Module {
  nn::Sequential conv;
  bool use_res_connect;

  InvertedResidual(std::int64_t in, std::int64_t out, std::int64_t stride, double expand_ratio,
                   const NormLayer& norm_layer)
      : use_res_connect(stride == 1 && in == out) {
    if (stride != 1 && stride != 2)
      throw ValueError("stride should be 1 or 2 instead of " + std::to_string(stride));
    const auto hidden =
        static_cast<std::int64_t>(std::nearbyint(static_cast<double>(in) * expand_ratio));
    const ActivationLayer relu6 = in_place<nn::ReLU6>;
    if (expand_ratio != 1)
      conv.append(Conv2dNormActivation(
          in, hidden, {.kernel_size = 1, .norm_layer = norm_layer, .activation = relu6}));
    conv.append(Conv2dNormActivation(
        hidden, hidden,
        {.stride = stride, .groups = hidden, .norm_layer = norm_layer, .activation = relu6}));
    conv.append(nn::Conv2d(hidden, out, 1, {.bias = false}));
    conv.append(norm_layer(out));
  }
  TAPER_MODULE(InvertedResidual, conv)

  Tensor forward(const Tensor& x) const { return use_res_connect ? x + conv(x) : conv(x); }
};

}  // namespace

TAPER_LAYER_MEMBERS(MobileNetV2, features, classifier)

MobileNetV2::MobileNetV2(const MobileNetV2Options& o) {
  if (o.inverted_residual_setting.empty())
    throw ValueError("inverted_residual_setting should be non-empty");
  const auto channels_of = [&](double channels) {
    return make_divisible(channels * o.width_mult, o.round_nearest);
  };
  const ActivationLayer relu6 = in_place<nn::ReLU6>;
  std::int64_t in = channels_of(32);
  const std::int64_t last = make_divisible(1280 * std::max(1.0, o.width_mult), o.round_nearest);
  features.append(
      Conv2dNormActivation(3, in, {.stride = 2, .norm_layer = o.norm_layer, .activation = relu6}));
  for (const InvertedResidualSetting& row : o.inverted_residual_setting) {
    const std::int64_t out = channels_of(static_cast<double>(row.channels));
    for (std::int64_t i = 0; i < row.repeats; ++i) {
      features.append(
          InvertedResidual(in, out, i == 0 ? row.stride : 1, row.expand_ratio, o.norm_layer));
      in = out;
    }
  }
  features.append(Conv2dNormActivation(
      in, last, {.kernel_size = 1, .norm_layer = o.norm_layer, .activation = relu6}));
  classifier.append(nn::Dropout(o.dropout)).append(nn::Linear(last, o.num_classes));
  initialize_convolutions(features);
  initialize_linear_layers(classifier);
}

Tensor MobileNetV2::forward(const Tensor& images) const {
  return classifier(F::adaptive_avg_pool2d(features(images), 1).flatten(1));
}

MobileNetV2 mobilenet_v2(const MobileNetV2Options& o) { return MobileNetV2(o); }

}  // namespace vision
