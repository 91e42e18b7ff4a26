#include "vision/registry.h"

#include <list>

#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/nn/registry.h"
#include "vision/convnext.h"
#include "vision/densenet.h"
#include "vision/efficientnet.h"
#include "vision/mobilenet_v2.h"
#include "vision/mobilenet_v3.h"
#include "vision/resnet.h"
#include "vision/vgg.h"
#include "vision/vision_transformer.h"

namespace vision {

using namespace taper;
using nn::Arguments;

namespace {

template <class M> std::shared_ptr<nn::Module> share(M model) {
  return std::make_shared<M>(std::move(model));
}

/// Returns the argument `norm_layer`, or `otherwise` for None.
NormLayer norm_layer_of(const Arguments& a, NormLayer otherwise) {
  const Value v = a["norm_layer"];
  if (v.is_none()) return otherwise;
  Value name = v, args = Value::dict();
  if (v.is_dict()) {
    if (!v.contains("class")) a.reject("norm_layer", "a dict with the key 'class'");
    name = v["class"];
    if (v.contains("args")) args = v["args"];
  }
  if (!name.is_string() || !args.is_dict()) a.reject("norm_layer", "the name of a class or a dict");
  return [name = name.as_string(), args](std::int64_t channels) {
    const Value kwargs = args.as_dict().copy();
    if (name != "GroupNorm") return nn::make(name, {channels}, kwargs);
    kwargs.as_dict().set("num_channels", channels);
    return nn::make(name, {}, kwargs);
  };
}

/// Returns a list of integers with N items.
template <std::size_t N>
std::array<std::int64_t, N> integers_of(const Arguments& a, const char* name) {
  const Shape sizes = a.sizes(name);
  if (sizes.size() != N) a.reject(name, "a list of " + std::to_string(N) + " ints");
  std::array<std::int64_t, N> result{};
  std::copy(sizes.begin(), sizes.end(), result.begin());
  return result;
}

std::vector<std::int64_t> integers_of(const Arguments& a, const char* name) {
  const Shape sizes = a.sizes(name);
  return {sizes.begin(), sizes.end()};
}

std::array<bool, 3> dilation_of(const Arguments& a) {
  const Value v = a["replace_stride_with_dilation"];
  std::array<bool, 3> result{};
  if (v.is_none()) return result;
  if (!v.is_list() && !v.is_tuple()) a.reject("replace_stride_with_dilation", "a list of bools");
  const Values& items = v.as_sequence();
  if (items.size() != result.size())
    throw ValueError("replace_stride_with_dilation should be None or a 3-element tuple, got " +
                     v.repr());
  for (std::size_t i = 0; i < items.size(); ++i) result[i] = items[i].as_bool();
  return result;
}

constexpr const char* kResNet =
    "num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64, "
    "replace_stride_with_dilation=None, norm_layer=None";
ResNetOptions resnet_options(const Arguments& a) {
  return {.num_classes = a.integer("num_classes"),
          .zero_init_residual = a.flag("zero_init_residual"),
          .groups = a.integer("groups"),
          .width_per_group = a.integer("width_per_group"),
          .replace_stride_with_dilation = dilation_of(a),
          .norm_layer = norm_layer_of(a, batch_norm())};
}
std::shared_ptr<nn::Module> make_resnet(const Arguments& a) {
  const std::string& block = a.string("block");
  if (block != "BasicBlock" && block != "Bottleneck")
    a.reject("block", "'BasicBlock' or 'Bottleneck'");
  return share(ResNet(block == "BasicBlock" ? ResidualBlock::basic : ResidualBlock::bottleneck,
                      integers_of<4>(a, "layers"), resnet_options(a)));
}

constexpr const char* kVGG = "num_classes=1000, init_weights=True, dropout=0.5";
VGGOptions vgg_options(const Arguments& a) {
  return {.num_classes = a.integer("num_classes"),
          .init_weights = a.flag("init_weights"),
          .dropout = a.number("dropout")};
}

constexpr const char* kDenseNet =
    "bn_size=4, drop_rate=0, num_classes=1000, memory_efficient=False";
DenseNetOptions densenet_options(const Arguments& a) {
  return {.bn_size = a.integer("bn_size"),
          .drop_rate = a.number("drop_rate"),
          .num_classes = a.integer("num_classes"),
          .memory_efficient = a.flag("memory_efficient")};
}
std::shared_ptr<nn::Module> make_densenet(const Arguments& a) {
  std::vector<std::int64_t> blocks{6, 12, 24, 16};
  if (!a["block_config"].is_none()) blocks = integers_of(a, "block_config");
  return share(DenseNet(a.integer("growth_rate"), blocks, a.integer("num_init_features"),
                        densenet_options(a)));
}

constexpr const char* kMobileNetV2 =
    "num_classes=1000, width_mult=1.0, round_nearest=8, norm_layer=None, dropout=0.2";
MobileNetV2Options mobilenet_v2_options(const Arguments& a) {
  MobileNetV2Options o{.num_classes = a.integer("num_classes"),
                       .width_mult = a.number("width_mult")};
  o.round_nearest = a.integer("round_nearest");
  o.norm_layer = norm_layer_of(a, o.norm_layer);
  o.dropout = a.number("dropout");
  return o;
}

constexpr const char* kMobileNetV3 =
    "num_classes=1000, width_mult=1.0, reduced_tail=False, dilated=False, norm_layer=None, "
    "dropout=0.2";
MobileNetV3Options mobilenet_v3_options(const Arguments& a) {
  MobileNetV3Options o{.num_classes = a.integer("num_classes"),
                       .width_mult = a.number("width_mult"),
                       .reduced_tail = a.flag("reduced_tail"),
                       .dilated = a.flag("dilated")};
  o.norm_layer = norm_layer_of(a, o.norm_layer);
  o.dropout = a.number("dropout");
  return o;
}

constexpr const char* kEfficientNet =
    "num_classes=1000, dropout=None, stochastic_depth_prob=0.2, norm_layer=None";
EfficientNetOptions efficientnet_options(const Arguments& a) {
  return {.num_classes = a.integer("num_classes"),
          .dropout = a.optional_number("dropout"),
          .stochastic_depth_prob = a.number("stochastic_depth_prob"),
          .norm_layer = norm_layer_of(a, batch_norm())};
}

constexpr const char* kConvNeXt = "num_classes=1000, stochastic_depth_prob=None, layer_scale=1e-06";
ConvNeXtOptions convnext_options(const Arguments& a) {
  return {.num_classes = a.integer("num_classes"),
          .stochastic_depth_prob = a.optional_number("stochastic_depth_prob"),
          .layer_scale = a.number("layer_scale")};
}

constexpr const char* kViT =
    "image_size=224, dropout=0.0, attention_dropout=0.0, num_classes=1000, "
    "representation_size=None, norm_layer=None";
VisionTransformerOptions vit_options(const Arguments& a) {
  VisionTransformerOptions o{.dropout = a.number("dropout"),
                             .attention_dropout = a.number("attention_dropout"),
                             .num_classes = a.integer("num_classes"),
                             .representation_size = a.optional_integer("representation_size")};
  o.norm_layer = norm_layer_of(a, o.norm_layer);
  return o;
}
std::shared_ptr<nn::Module> make_vit(const Arguments& a) {
  return share(
      VisionTransformer({a.integer("image_size"), a.integer("patch_size"), a.integer("num_layers"),
                         a.integer("num_heads"), a.integer("hidden_dim"), a.integer("mlp_dim")},
                        vit_options(a)));
}

/// Calls a constructor with its options.
template <auto constructor, auto options> std::shared_ptr<nn::Module> call(const Arguments& a) {
  return share(constructor(options(a)));
}
template <auto constructor> std::shared_ptr<nn::Module> call_vit(const Arguments& a) {
  return share(constructor(vit_options(a), a.integer("image_size")));
}

struct Constructor {
  const char *name, *signature;
  nn::FunctionRegistration::Function function;
};

const Constructor kConstructors[] = {
    {"resnet18", kResNet, call<resnet18, resnet_options>},
    {"resnet34", kResNet, call<resnet34, resnet_options>},
    {"resnet50", kResNet, call<resnet50, resnet_options>},
    {"resnet101", kResNet, call<resnet101, resnet_options>},
    {"resnet152", kResNet, call<resnet152, resnet_options>},
    {"resnext50_32x4d", kResNet, call<resnext50_32x4d, resnet_options>},
    {"resnext101_32x8d", kResNet, call<resnext101_32x8d, resnet_options>},
    {"resnext101_64x4d", kResNet, call<resnext101_64x4d, resnet_options>},
    {"wide_resnet50_2", kResNet, call<wide_resnet50_2, resnet_options>},
    {"wide_resnet101_2", kResNet, call<wide_resnet101_2, resnet_options>},
    {"vgg11", kVGG, call<vgg11, vgg_options>},
    {"vgg11_bn", kVGG, call<vgg11_bn, vgg_options>},
    {"vgg13", kVGG, call<vgg13, vgg_options>},
    {"vgg13_bn", kVGG, call<vgg13_bn, vgg_options>},
    {"vgg16", kVGG, call<vgg16, vgg_options>},
    {"vgg16_bn", kVGG, call<vgg16_bn, vgg_options>},
    {"vgg19", kVGG, call<vgg19, vgg_options>},
    {"vgg19_bn", kVGG, call<vgg19_bn, vgg_options>},
    {"densenet121", kDenseNet, call<densenet121, densenet_options>},
    {"densenet161", kDenseNet, call<densenet161, densenet_options>},
    {"densenet169", kDenseNet, call<densenet169, densenet_options>},
    {"densenet201", kDenseNet, call<densenet201, densenet_options>},
    {"mobilenet_v2", kMobileNetV2, call<mobilenet_v2, mobilenet_v2_options>},
    {"mobilenet_v3_large", kMobileNetV3, call<mobilenet_v3_large, mobilenet_v3_options>},
    {"mobilenet_v3_small", kMobileNetV3, call<mobilenet_v3_small, mobilenet_v3_options>},
    {"efficientnet_b0", kEfficientNet, call<efficientnet_b0, efficientnet_options>},
    {"efficientnet_b1", kEfficientNet, call<efficientnet_b1, efficientnet_options>},
    {"efficientnet_b2", kEfficientNet, call<efficientnet_b2, efficientnet_options>},
    {"convnext_tiny", kConvNeXt, call<convnext_tiny, convnext_options>},
    {"convnext_small", kConvNeXt, call<convnext_small, convnext_options>},
    {"convnext_base", kConvNeXt, call<convnext_base, convnext_options>},
    {"convnext_large", kConvNeXt, call<convnext_large, convnext_options>},
    {"vit_b_16", kViT, call_vit<vit_b_16>},
    {"vit_b_32", kViT, call_vit<vit_b_32>},
    {"vit_l_16", kViT, call_vit<vit_l_16>},
    {"ResNet",
     "block, layers, num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64, "
     "replace_stride_with_dilation=None, norm_layer=None",
     make_resnet},
    {"DenseNet",
     "growth_rate=32, block_config=None, num_init_features=64, bn_size=4, drop_rate=0, "
     "num_classes=1000, memory_efficient=False",
     make_densenet},
    {"VisionTransformer",
     "image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0, "
     "attention_dropout=0.0, num_classes=1000, representation_size=None, norm_layer=None",
     make_vit}};

}  // namespace

void register_models() {
  // Not destroyed, because static objects may make models.
  [[maybe_unused]] static const auto* const registrations = [] {
    auto* const list = new std::list<nn::FunctionRegistration>;
    for (const Constructor& c : kConstructors) list->emplace_back(c.name, c.signature, c.function);
    return list;
  }();
}

}  // namespace vision
