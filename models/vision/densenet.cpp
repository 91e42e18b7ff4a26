#include "vision/densenet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "taper/autograd/checkpoint.h"
#include "taper/core/dict.h"
#include "taper/nn/init.h"
#include "taper/nn/module_dict.h"

namespace vision {

using namespace taper;

namespace {

/// Dimensions and options that all layers of a dense block share.
struct DenseLayerOptions {
  std::int64_t growth_rate, bn_size;
  double drop_rate;
  bool memory_efficient;
};

bool any_requires_grad(const std::vector<Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& t) { return t.requires_grad(); });
}

}  // namespace

/// Computes `growth_rate` new channels from the concatenated outputs of all layers before it.
struct DenseLayer : nn::Layer<DenseLayer>, std::enable_shared_from_this<DenseLayer> {
  nn::BatchNorm2d norm1;
  nn::ReLU relu1;
  nn::Conv2d conv1;
  nn::BatchNorm2d norm2;
  nn::ReLU relu2;
  nn::Conv2d conv2;
  double drop_rate;
  bool memory_efficient;

  DenseLayer(std::int64_t in, const DenseLayerOptions& o)
      : norm1(in),
        relu1({.inplace = true}),
        conv1(in, o.bn_size * o.growth_rate, 1, {.bias = false}),
        norm2(o.bn_size * o.growth_rate),
        relu2({.inplace = true}),
        conv2(o.bn_size * o.growth_rate, o.growth_rate, 3, {.padding = 1, .bias = false}),
        drop_rate(o.drop_rate),
        memory_efficient(o.memory_efficient) {}
  TAPER_LAYER(DenseLayer)

  Tensor bottleneck(const std::vector<Tensor>& features) const {
    return conv1(relu1(norm1(cat(features, 1))));
  }
  /// As bottleneck(), but saves only `features` for the backward pass.
  Tensor recomputed_bottleneck(const std::vector<Tensor>& features) const {
    // The graph owns the layer: the network may be destroyed before the backward pass.
    return nn::utils::checkpoint(
        {},
        [layer = shared_from_this()](const std::vector<Tensor>& t) { return layer->bottleneck(t); },
        features);
  }
  Tensor forward(const std::vector<Tensor>& features) const {
    const bool recomputes = memory_efficient && any_requires_grad(features);
    const Tensor narrow = recomputes ? recomputed_bottleneck(features) : bottleneck(features);
    const Tensor added = conv2(relu2(norm2(narrow)));
    return drop_rate > 0 ? F::dropout(added, drop_rate, {.training = training}) : added;
  }
};
TAPER_LAYER_MEMBERS_AS(DenseLayer, "_DenseLayer", norm1, relu1, conv1, norm2, relu2, conv2)

/// Dense layers, each of which receives the outputs of all before it.
struct DenseBlock : nn::Layer<DenseBlock, nn::ModuleDict> {
  DenseBlock(std::int64_t layers, std::int64_t in, const DenseLayerOptions& options) {
    for (std::int64_t i = 0; i < layers; ++i)
      set("denselayer" + std::to_string(i + 1), DenseLayer(in + i * options.growth_rate, options));
  }
  TAPER_LAYER(DenseBlock)
  std::int64_t version() const override { return 2; }

  Tensor forward(const Tensor& x) const {
    std::vector<Tensor> features{x};
    for (const nn::Module* child : children())
      features.push_back((*child->as<DenseLayer>())(features));
    return cat(features, 1);
  }
};
TAPER_LAYER_MEMBERS_AS(DenseBlock, "_DenseBlock")

/// Halves the resolution between two dense blocks, and usually the number of channels.
struct Transition : nn::Layer<Transition, nn::Sequential> {
  Transition(std::int64_t in, std::int64_t out) {
    register_module("norm", nn::BatchNorm2d(in));
    register_module("relu", nn::ReLU({.inplace = true}));
    register_module("conv", nn::Conv2d(in, out, 1, {.bias = false}));
    register_module("pool", nn::AvgPool2d(2, {.stride = 2}));
  }
  TAPER_LAYER(Transition)
};
TAPER_LAYER_MEMBERS_AS(Transition, "_Transition")

namespace {

/// Returns the number of channels after all blocks and transitions.
std::int64_t channels_after(std::int64_t growth_rate, const std::vector<std::int64_t>& block_config,
                            std::int64_t channels) {
  for (std::size_t i = 0; i < block_config.size(); ++i) {
    channels += block_config[i] * growth_rate;
    if (i + 1 < block_config.size()) channels /= 2;
  }
  return channels;
}

nn::Sequential make_features(std::int64_t growth_rate,
                             const std::vector<std::int64_t>& block_config, std::int64_t channels,
                             const DenseNetOptions& o) {
  const DenseLayerOptions layer{growth_rate, o.bn_size, o.drop_rate, o.memory_efficient};
  nn::Sequential features;
  features.register_module("conv0",
                           nn::Conv2d(3, channels, 7, {.stride = 2, .padding = 3, .bias = false}));
  features.register_module("norm0", nn::BatchNorm2d(channels));
  features.register_module("relu0", nn::ReLU({.inplace = true}));
  features.register_module("pool0", nn::MaxPool2d(3, {.stride = 2, .padding = 1}));
  for (std::size_t i = 0; i < block_config.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    features.register_module("denseblock" + number, DenseBlock(block_config[i], channels, layer));
    channels += block_config[i] * growth_rate;
    if (i + 1 == block_config.size()) break;
    features.register_module("transition" + number, Transition(channels, channels / 2));
    channels /= 2;
  }
  features.register_module("norm5", nn::BatchNorm2d(channels));
  return features;
}

}  // namespace

TAPER_LAYER_MEMBERS(DenseNet, features, classifier)

DenseNet::DenseNet(IntArg growth_rate, const std::vector<std::int64_t>& block_config,
                   IntArg num_init_features, const DenseNetOptions& o)
    : features(make_features(growth_rate, block_config, num_init_features, o)),
      classifier(channels_after(growth_rate, block_config, num_init_features), o.num_classes) {
  for (nn::Module* m : modules())
    if (const auto conv = m->as<nn::Conv2d>()) nn::init::kaiming_normal_(conv->weight);
  nn::init::zeros_(*classifier.bias);
}

Tensor DenseNet::forward(const Tensor& images) const {
  const Tensor x = F::relu(features(images), {.inplace = true});
  return classifier(F::adaptive_avg_pool2d(x, 1).flatten(1));
}

void DenseNet::load_from_state_dict(nn::LoadState& state) {
  const auto renamed = [](std::string key) {
    if (key.find("denselayer") == std::string::npos) return key;
    for (const std::string_view part : {".norm.", ".relu.", ".conv."})
      if (const std::size_t at = key.find(part); at != std::string::npos)
        key.erase(at + part.size() - 1, 1);
    return key;
  };
  for (const auto& [key, value] : std::vector<Dict::Entry>(state.state.entries())) {
    const std::string name = key.as_string(), current = renamed(name);
    if (current == name) continue;
    state.state.erase(name);
    state.state.set(current, value);
  }
  Module::load_from_state_dict(state);
}

DenseNet densenet121(const DenseNetOptions& o) { return DenseNet(32, {6, 12, 24, 16}, 64, o); }
DenseNet densenet161(const DenseNetOptions& o) { return DenseNet(48, {6, 12, 36, 24}, 96, o); }
DenseNet densenet169(const DenseNetOptions& o) { return DenseNet(32, {6, 12, 32, 32}, 64, o); }
DenseNet densenet201(const DenseNetOptions& o) { return DenseNet(32, {6, 12, 48, 32}, 64, o); }

}  // namespace vision
