#include "vision/vgg.h"

#include <algorithm>
#include <string>
#include <vector>

#include "taper/core/error.h"
#include "taper/nn/init.h"

namespace vision {

using namespace taper;

namespace {

/// Returns the number of convolutions of each of the five stages, from Table 1 of the paper.
std::vector<int> convolutions_of(char configuration) {
  switch (configuration) {
    case 'A': return {1, 1, 2, 2, 2};
    case 'B': return {2, 2, 2, 2, 2};
    case 'D': return {2, 2, 3, 3, 3};
    case 'E': return {2, 2, 4, 4, 4};
    default:
      throw ValueError(std::string("vgg_features: unknown configuration '") + configuration +
                       "', expected 'A', 'B', 'D' or 'E'");
  }
}

}  // namespace

nn::Sequential vgg_features(char configuration, bool batch_norm) {
  nn::Sequential features;
  std::int64_t in = 3, out = 64;
  for (const int convolutions : convolutions_of(configuration)) {
    for (int i = 0; i < convolutions; ++i) {
      features.append(nn::Conv2d(in, out, 3, {.padding = 1}));
      if (batch_norm) features.append(nn::BatchNorm2d(out));
      features.append(nn::ReLU({.inplace = true}));
      in = out;
    }
    features.append(nn::MaxPool2d(2, {.stride = 2}));
    out = std::min<std::int64_t>(512, 2 * out);
  }
  return features;
}

TAPER_LAYER_MEMBERS(VGG, features, avgpool, classifier)

VGG::VGG(nn::Sequential convolutions, const VGGOptions& o)
    : features(std::move(convolutions)),
      avgpool({7, 7}),
      classifier{nn::Linear(512 * 7 * 7, 4096),  nn::ReLU({.inplace = true}),
                 nn::Dropout(o.dropout),         nn::Linear(4096, 4096),
                 nn::ReLU({.inplace = true}),    nn::Dropout(o.dropout),
                 nn::Linear(4096, o.num_classes)} {
  if (!o.init_weights) return;
  for (nn::Module* m : features.modules())
    if (const auto conv = m->as<nn::Conv2d>()) {
      nn::init::kaiming_normal_(conv->weight, 0, "fan_out", "relu");
      nn::init::zeros_(*conv->bias);
    }
  initialize_linear_layers(classifier);
}

Tensor VGG::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)).flatten(1));
}

VGG vgg11(const VGGOptions& o) { return VGG(vgg_features('A', false), o); }
VGG vgg11_bn(const VGGOptions& o) { return VGG(vgg_features('A', true), o); }
VGG vgg13(const VGGOptions& o) { return VGG(vgg_features('B', false), o); }
VGG vgg13_bn(const VGGOptions& o) { return VGG(vgg_features('B', true), o); }
VGG vgg16(const VGGOptions& o) { return VGG(vgg_features('D', false), o); }
VGG vgg16_bn(const VGGOptions& o) { return VGG(vgg_features('D', true), o); }
VGG vgg19(const VGGOptions& o) { return VGG(vgg_features('E', false), o); }
VGG vgg19_bn(const VGGOptions& o) { return VGG(vgg_features('E', true), o); }

}  // namespace vision
