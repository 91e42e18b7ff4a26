#include "vision/resnet.h"

#include "taper/core/error.h"
#include "taper/nn/init.h"

namespace vision {

using namespace taper;

namespace {

nn::Conv2d conv3x3(std::int64_t in, std::int64_t out, std::int64_t stride = 1,
                   std::int64_t groups = 1, std::int64_t dilation = 1) {
  return nn::Conv2d(in, out, 3,
                    {.stride = {stride},
                     .padding = dilation,
                     .dilation = {dilation},
                     .groups = groups,
                     .bias = false});
}

nn::Conv2d conv1x1(std::int64_t in, std::int64_t out, std::int64_t stride = 1) {
  return nn::Conv2d(in, out, 1, {.stride = {stride}, .bias = false});
}

const ResidualBlockOptions& checked_basic(const ResidualBlockOptions& o) {
  if (o.groups != 1 || o.base_width != 64)
    throw ValueError("BasicBlock only supports groups=1 and base_width=64");
  if (o.dilation > 1) throw NotImplementedError("Dilation > 1 not supported in BasicBlock");
  return o;
}

std::int64_t width_of(const ResidualBlockOptions& o) {
  return o.planes * o.base_width / 64 * o.groups;
}

void zero_weight(const nn::Module& norm) {
  for (const auto& p : norm.named_parameters({.recurse = false}))
    if (p.name == "weight") nn::init::zeros_(p.value);
}

}  // namespace

TAPER_LAYER_MEMBERS(BasicBlock, conv1, bn1, relu, conv2, bn2)

BasicBlock::BasicBlock(const ResidualBlockOptions& o, std::shared_ptr<nn::Module> downsample,
                       const NormLayer& norm_layer)
    : conv1(conv3x3(checked_basic(o).inplanes, o.planes, o.stride)),
      bn1(norm_layer(o.planes)),
      relu({.inplace = true}),
      conv2(conv3x3(o.planes, o.planes)),
      bn2(norm_layer(o.planes)),
      has_downsample(downsample != nullptr) {
  if (downsample) register_module("downsample", std::move(downsample));
}

Tensor BasicBlock::forward(const Tensor& x) const {
  Tensor out = relu((*bn1)(conv1(x)));
  out = (*bn2)(conv2(out));
  out += has_downsample ? get_submodule("downsample")(x) : x;
  return relu(out);
}

TAPER_LAYER_MEMBERS(Bottleneck, conv1, bn1, conv2, bn2, conv3, bn3, relu)

Bottleneck::Bottleneck(const ResidualBlockOptions& o, std::shared_ptr<nn::Module> downsample,
                       const NormLayer& norm_layer)
    : conv1(conv1x1(o.inplanes, width_of(o))),
      bn1(norm_layer(width_of(o))),
      conv2(conv3x3(width_of(o), width_of(o), o.stride, o.groups, o.dilation)),
      bn2(norm_layer(width_of(o))),
      conv3(conv1x1(width_of(o), o.planes * expansion)),
      bn3(norm_layer(o.planes * expansion)),
      relu({.inplace = true}),
      has_downsample(downsample != nullptr) {
  if (downsample) register_module("downsample", std::move(downsample));
}

Tensor Bottleneck::forward(const Tensor& x) const {
  Tensor out = relu((*bn1)(conv1(x)));
  out = relu((*bn2)(conv2(out)));
  out = (*bn3)(conv3(out));
  out += has_downsample ? get_submodule("downsample")(x) : x;
  return relu(out);
}

/// Creates the layers of a network, in order.
struct ResNet::LayerFactory {
  ResidualBlock block;
  const ResNetOptions& options;
  std::int64_t inplanes = 64, dilation = 1;

  template <class Block>
  nn::Sequential blocks(std::int64_t planes, std::int64_t count, std::int64_t stride, bool dilate) {
    const std::int64_t previous_dilation = dilation, outplanes = planes * Block::expansion;
    if (dilate) dilation *= stride, stride = 1;
    std::shared_ptr<nn::Module> downsample;
    if (stride != 1 || inplanes != outplanes) {
      auto shortcut = std::make_shared<nn::Sequential>();
      shortcut->append(conv1x1(inplanes, outplanes, stride));
      shortcut->append(options.norm_layer(outplanes));
      downsample = std::move(shortcut);
    }
    nn::Sequential layer;
    const std::int64_t groups = options.groups, width = options.width_per_group;
    for (std::int64_t i = 0; i < count; ++i) {
      const ResidualBlockOptions o =
          i == 0 ? ResidualBlockOptions{inplanes, planes, stride, groups, width, previous_dilation}
                 : ResidualBlockOptions{outplanes, planes, 1, groups, width, dilation};
      layer.append(Block(o, i == 0 ? std::move(downsample) : nullptr, options.norm_layer));
    }
    inplanes = outplanes;
    return layer;
  }
  nn::Sequential operator()(std::int64_t planes, std::int64_t count, std::int64_t stride = 1,
                            bool dilate = false) {
    return block == ResidualBlock::basic ? blocks<BasicBlock>(planes, count, stride, dilate)
                                         : blocks<Bottleneck>(planes, count, stride, dilate);
  }
};

TAPER_LAYER_MEMBERS(ResNet, conv1, bn1, relu, maxpool, layer1, layer2, layer3, layer4, avgpool, fc)

ResNet::ResNet(ResidualBlock block, const std::array<std::int64_t, 4>& layers,
               const ResNetOptions& options)
    : ResNet(LayerFactory{block, options}, layers) {}

ResNet::ResNet(LayerFactory make_layer, const std::array<std::int64_t, 4>& layers)
    : conv1(3, 64, 7, {.stride = 2, .padding = 3, .bias = false}),
      bn1(make_layer.options.norm_layer(64)),
      relu({.inplace = true}),
      maxpool(3, {.stride = 2, .padding = 1}),
      layer1(make_layer(64, layers[0])),
      layer2(make_layer(128, layers[1], 2, make_layer.options.replace_stride_with_dilation[0])),
      layer3(make_layer(256, layers[2], 2, make_layer.options.replace_stride_with_dilation[1])),
      layer4(make_layer(512, layers[3], 2, make_layer.options.replace_stride_with_dilation[2])),
      avgpool({1, 1}),
      fc(make_layer.inplanes, make_layer.options.num_classes) {
  for (nn::Module* m : modules())
    if (const auto conv = m->as<nn::Conv2d>())
      nn::init::kaiming_normal_(conv->weight, 0, "fan_out", "relu");
  if (!make_layer.options.zero_init_residual) return;
  for (nn::Module* m : modules()) {
    if (const auto b = m->as<Bottleneck>()) zero_weight(*b->bn3);
    if (const auto b = m->as<BasicBlock>()) zero_weight(*b->bn2);
  }
}

Tensor ResNet::forward(const Tensor& images) const {
  Tensor x = maxpool(relu((*bn1)(conv1(images))));
  x = layer4(layer3(layer2(layer1(x))));
  return fc(avgpool(x).flatten(1));
}

namespace {

ResNetOptions with_groups(ResNetOptions o, std::int64_t groups, std::int64_t width) {
  o.groups = groups, o.width_per_group = width;
  return o;
}

}  // namespace

ResNet resnet18(const ResNetOptions& o) { return ResNet(ResidualBlock::basic, {2, 2, 2, 2}, o); }
ResNet resnet34(const ResNetOptions& o) { return ResNet(ResidualBlock::basic, {3, 4, 6, 3}, o); }
ResNet resnet50(const ResNetOptions& o) {
  return ResNet(ResidualBlock::bottleneck, {3, 4, 6, 3}, o);
}
ResNet resnet101(const ResNetOptions& o) {
  return ResNet(ResidualBlock::bottleneck, {3, 4, 23, 3}, o);
}
ResNet resnet152(const ResNetOptions& o) {
  return ResNet(ResidualBlock::bottleneck, {3, 8, 36, 3}, o);
}
ResNet resnext50_32x4d(ResNetOptions o) { return resnet50(with_groups(std::move(o), 32, 4)); }
ResNet resnext101_32x8d(ResNetOptions o) { return resnet101(with_groups(std::move(o), 32, 8)); }
ResNet resnext101_64x4d(ResNetOptions o) { return resnet101(with_groups(std::move(o), 64, 4)); }
ResNet wide_resnet50_2(ResNetOptions o) {
  const std::int64_t groups = o.groups;
  return resnet50(with_groups(std::move(o), groups, 128));
}
ResNet wide_resnet101_2(ResNetOptions o) {
  const std::int64_t groups = o.groups;
  return resnet101(with_groups(std::move(o), groups, 128));
}

}  // namespace vision
