#include "vision/efficientnet.h"

#include <algorithm>
#include <cmath>

#include "taper/nn/init.h"

namespace vision {

using namespace taper;

namespace {

/// A stage of the network.
struct Stage {
  std::int64_t expand_ratio, kernel, stride, in, out, blocks;
};

// Table 1 of the paper.
constexpr Stage kStages[] = {{1, 3, 1, 32, 16, 1},  {6, 3, 2, 16, 24, 2},  {6, 5, 2, 24, 40, 2},
                             {6, 3, 2, 40, 80, 3},  {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4},
                             {6, 3, 1, 192, 320, 1}};

Stage scaled(Stage stage, const EfficientNetScale& scale) {
  for (std::int64_t* channels : {&stage.in, &stage.out})
    *channels = make_divisible(static_cast<double>(*channels) * scale.width);
  stage.blocks =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(stage.blocks) * scale.depth));
  return stage;
}

/// Mobile inverted bottleneck with squeeze-and-excitation.
struct MBConv : nn::Module {
  nn::Sequential block;
  StochasticDepth stochastic_depth;
  bool use_res_connect;

  MBConv(const Stage& s, double stochastic_depth_prob, const NormLayer& norm_layer)
      : stochastic_depth(stochastic_depth_prob), use_res_connect(s.stride == 1 && s.in == s.out) {
    const ActivationLayer silu = in_place<nn::SiLU>;
    const std::int64_t expanded = make_divisible(static_cast<double>(s.in * s.expand_ratio));
    if (expanded != s.in)
      block.append(Conv2dNormActivation(
          s.in, expanded, {.kernel_size = 1, .norm_layer = norm_layer, .activation = silu}));
    block.append(Conv2dNormActivation(expanded, expanded,
                                      {.kernel_size = s.kernel,
                                       .stride = s.stride,
                                       .groups = expanded,
                                       .norm_layer = norm_layer,
                                       .activation = silu}));
    block.append(SqueezeExcitation(expanded, std::max<std::int64_t>(1, s.in / 4), silu,
                                   out_of_place<nn::Sigmoid>));
    block.append(Conv2dNormActivation(
        expanded, s.out, {.kernel_size = 1, .norm_layer = norm_layer, .activation = nullptr}));
  }
  TAPER_MODULE(MBConv, block, stochastic_depth)

  Tensor forward(const Tensor& x) const {
    const Tensor result = block(x);
    return use_res_connect ? stochastic_depth(result) + x : result;
  }
};

}  // namespace

TAPER_LAYER_MEMBERS(EfficientNet, features, avgpool, classifier)

EfficientNet::EfficientNet(const EfficientNetScale& scale, const EfficientNetOptions& o)
    : avgpool(1) {
  const ActivationLayer silu = in_place<nn::SiLU>;
  std::int64_t total = 0, block = 0;
  for (const Stage& stage : kStages) total += scaled(stage, scale).blocks;
  features.append(
      Conv2dNormActivation(3, scaled(kStages[0], scale).in,
                           {.stride = 2, .norm_layer = o.norm_layer, .activation = silu}));
  std::int64_t in = 0;
  for (const Stage& unscaled : kStages) {
    Stage stage = scaled(unscaled, scale);
    auto blocks = std::make_shared<nn::Sequential>();
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      const double p =
          o.stochastic_depth_prob * static_cast<double>(block++) / static_cast<double>(total);
      blocks->append(MBConv(stage, p, o.norm_layer));
      stage.in = stage.out, stage.stride = 1;
    }
    features.append(std::move(blocks));
    in = stage.out;
  }
  features.append(Conv2dNormActivation(
      in, 4 * in, {.kernel_size = 1, .norm_layer = o.norm_layer, .activation = silu}));
  classifier.append(nn::Dropout(o.dropout.value_or(0.2), {.inplace = true}))
      .append(nn::Linear(4 * in, o.num_classes));
  initialize_convolutions(features);
  const auto& head = *classifier.back().as<nn::Linear>();
  const double range = 1 / std::sqrt(static_cast<double>(head.out_features));
  nn::init::uniform_(head.weight, -range, range);
  nn::init::zeros_(*head.bias);
}

Tensor EfficientNet::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)).flatten(1));
}

EfficientNet efficientnet_b0(const EfficientNetOptions& o) { return EfficientNet({1.0, 1.0}, o); }
EfficientNet efficientnet_b1(const EfficientNetOptions& o) { return EfficientNet({1.0, 1.1}, o); }
EfficientNet efficientnet_b2(EfficientNetOptions o) {
  o.dropout = o.dropout.value_or(0.3);
  return EfficientNet({1.1, 1.2}, o);
}

}  // namespace vision
