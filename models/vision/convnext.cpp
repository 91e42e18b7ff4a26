#include "vision/convnext.h"

#include <numeric>
#include <vector>

#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace vision {

using namespace taper;

LayerNorm2d::LayerNorm2d(std::int64_t channels) : LayerNorm(Shape{channels}, {.eps = 1e-6}) {}

Tensor LayerNorm2d::forward(const Tensor& x) const {
  return LayerNorm::forward(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

namespace {

/// Permutes the dimensions of its input.
struct Permute : nn::Module {
  Shape dims;
  explicit Permute(Shape order) : dims(std::move(order)) {}
  TAPER_MODULE(Permute)
  Tensor forward(const Tensor& x) const { return x.permute(dims); }
};

/// Depthwise 7x7 convolution and a perceptron per pixel, added to the input.
struct CNBlock : nn::Module {
  nn::Sequential block;
  nn::Parameter layer_scale;
  StochasticDepth stochastic_depth;

  CNBlock(std::int64_t dim, double scale, double stochastic_depth_prob)
      : block{nn::Conv2d(dim, dim, 7, {.padding = 3, .groups = dim}),
              Permute({0, 2, 3, 1}),
              nn::LayerNorm(Shape{dim}, {.eps = 1e-6}),
              nn::Linear(dim, 4 * dim),
              nn::GELU(),
              nn::Linear(4 * dim, dim),
              Permute({0, 3, 1, 2})},
        layer_scale(ones({dim, 1, 1}) * scale),
        stochastic_depth(stochastic_depth_prob) {}
  TAPER_MODULE(CNBlock, layer_scale, block, stochastic_depth)

  Tensor forward(const Tensor& x) const { return stochastic_depth(layer_scale * block(x)) + x; }
};

ConvNeXtOptions with_default_stochastic_depth(ConvNeXtOptions o, double stochastic_depth_prob) {
  o.stochastic_depth_prob = o.stochastic_depth_prob.value_or(stochastic_depth_prob);
  return o;
}

}  // namespace

TAPER_LAYER_MEMBERS(ConvNeXt, features, avgpool, classifier)

ConvNeXt::ConvNeXt(std::int64_t channels, const std::array<std::int64_t, 4>& depths,
                   const ConvNeXtOptions& o)
    : avgpool(1) {
  const NormLayer norm_layer = [](std::int64_t c) { return std::make_shared<LayerNorm2d>(c); };
  features.append(Conv2dNormActivation(3, channels,
                                       {.kernel_size = 4,
                                        .stride = 4,
                                        .padding = 0,
                                        .norm_layer = norm_layer,
                                        .activation = nullptr,
                                        .bias = true}));
  const std::int64_t total = std::accumulate(depths.begin(), depths.end(), std::int64_t{0});
  std::int64_t block = 0;
  for (std::size_t stage = 0; stage < depths.size(); ++stage) {
    auto blocks = std::make_shared<nn::Sequential>();
    for (std::int64_t i = 0; i < depths[stage]; ++i) {
      const double p = o.stochastic_depth_prob.value_or(0) * static_cast<double>(block++) /
                       (static_cast<double>(total) - 1);
      blocks->append(CNBlock(channels, o.layer_scale, p));
    }
    features.append(std::move(blocks));
    if (stage + 1 == depths.size()) break;
    auto downsample = std::make_shared<nn::Sequential>();
    downsample->append(norm_layer(channels));
    downsample->append(nn::Conv2d(channels, 2 * channels, 2, {.stride = 2}));
    features.append(std::move(downsample));
    channels *= 2;
  }
  classifier.append(norm_layer(channels))
      .append(nn::Flatten(1))
      .append(nn::Linear(channels, o.num_classes));
  for (nn::Module* m : modules()) {
    const auto initialize = [](const Tensor& weight, const Tensor& bias) {
      nn::init::trunc_normal_(weight, 0, 0.02);
      nn::init::zeros_(bias);
    };
    if (const auto conv = m->as<nn::Conv2d>()) initialize(conv->weight, *conv->bias);
    if (const auto linear = m->as<nn::Linear>()) initialize(linear->weight, *linear->bias);
  }
}

Tensor ConvNeXt::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)));
}

ConvNeXt convnext_tiny(ConvNeXtOptions o) {
  return ConvNeXt(96, {3, 3, 9, 3}, with_default_stochastic_depth(std::move(o), 0.1));
}
ConvNeXt convnext_small(ConvNeXtOptions o) {
  return ConvNeXt(96, {3, 3, 27, 3}, with_default_stochastic_depth(std::move(o), 0.4));
}
ConvNeXt convnext_base(ConvNeXtOptions o) {
  return ConvNeXt(128, {3, 3, 27, 3}, with_default_stochastic_depth(std::move(o), 0.5));
}
ConvNeXt convnext_large(ConvNeXtOptions o) {
  return ConvNeXt(192, {3, 3, 27, 3}, with_default_stochastic_depth(std::move(o), 0.5));
}

}  // namespace vision
