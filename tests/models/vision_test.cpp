// Image classifiers: structure, options, copies, files of other versions, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "support/error_text.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/nn/registry.h"
#include "vision/convnext.h"
#include "vision/densenet.h"
#include "vision/efficientnet.h"
#include "vision/mobilenet_v2.h"
#include "vision/published_weights.h"
#include "vision/registry.h"
#include "vision/resnet.h"
#include "vision/vgg.h"
#include "vision/vision_transformer.h"

namespace taper::test {
namespace {

Tensor evaluate(nn::Module& net, const Tensor& x) {
  const NoGrad guard;
  net.eval();
  return net(x);
}

vision::VisionTransformer small_transformer(const vision::VisionTransformerOptions& options = {}) {
  return vision::VisionTransformer({32, 8, 2, 2, 16, 24}, options);
}

TEST(ResNet, HasTheModulesOfTorchvision) {
  vision::ResNet net = vision::resnet18();
  EXPECT_EQ(net.modules().size(), 68u);
  EXPECT_EQ(net.parameters().size(), 62u);
  EXPECT_EQ(net.state_dict().size(), 122u);
  EXPECT_EQ(net.get_submodule("layer2.0.downsample.1").type_name(), "BatchNorm2d");
  EXPECT_FALSE(net.get_submodule("layer1.0").has_attr("downsample"));
  EXPECT_EQ(net.layer1[0].type_name(), "BasicBlock");
}

TEST(ResNet, ReplacesTheHead) {
  vision::ResNet net = vision::resnet18();
  net.fc = nn::Linear(net.fc.in_features, 3);
  EXPECT_EQ(evaluate(net, rand({2, 3, 32, 32})).shape(), Shape({2, 3}));
  EXPECT_EQ(net.state_dict()["fc.weight"].as_tensor().shape(), Shape({3, 512}));
}

TEST(ResNet, ClonesAreIndependent) {
  vision::ResNet net = vision::resnet18({.num_classes = 4});
  vision::ResNet copy = net.clone();
  const Tensor x = rand({1, 3, 32, 32}), y = evaluate(net, x);
  EXPECT_TRUE(equal(evaluate(copy, x), y));
  {
    const NoGrad guard;
    copy.conv1.weight.zero_();
  }
  EXPECT_TRUE(equal(evaluate(net, x), y));
  EXPECT_FALSE(equal(evaluate(copy, x), y));
}

TEST(ResNet, LoadsTheStateOfAnotherNetwork) {
  vision::ResNet a = vision::resnet18({.num_classes = 4}), b = vision::resnet18({.num_classes = 4});
  EXPECT_TRUE(b.load_state_dict(a.state_dict()).empty());
  const Tensor x = rand({1, 3, 32, 32});
  EXPECT_TRUE(equal(evaluate(a, x), evaluate(b, x)));
  vision::ResNet other = vision::resnet18({.num_classes = 5});
  EXPECT_EQ(error_text<RuntimeError>([&] { other.load_state_dict(a.state_dict()); }),
            "Error(s) in loading state_dict for ResNet:\n\tsize mismatch for fc.weight: copying a "
            "param with shape torch.Size([4, 512]) from checkpoint, the shape in current model is "
            "torch.Size([5, 512]).\n\tsize mismatch for fc.bias: copying a param with shape "
            "torch.Size([4]) from checkpoint, the shape in current model is torch.Size([5]).");
}

TEST(ResNet, ZeroInitializedBlocksAreTheIdentity) {
  vision::ResNet net = vision::resnet18({.zero_init_residual = true});
  const auto& block = *net.layer1[1].as<vision::BasicBlock>();
  EXPECT_TRUE(equal(*block.bn2->as<nn::BatchNorm2d>()->weight, zeros({64})));
  net.eval();
  const Tensor x = rand({1, 64, 4, 4});
  EXPECT_TRUE(equal(block.forward(x), x));
}

TEST(ResNet, AcceptsOtherNormalizations) {
  vision::ResNet net = vision::resnet18({.norm_layer = vision::group_norm(8)});
  EXPECT_EQ(net.bn1->str(), "GroupNorm(8, 64, eps=1e-05, affine=True, bias=True)");
  EXPECT_TRUE(net.buffers().empty());
}

TEST(ResNet, RejectsInvalidOptions) {
  EXPECT_EQ(error_text<ValueError>([] { vision::resnet18({.groups = 2}); }),
            "BasicBlock only supports groups=1 and base_width=64");
  EXPECT_EQ(error_text<NotImplementedError>([] {
              vision::resnet18({.replace_stride_with_dilation = {true, false, false}});
            }),
            "Dilation > 1 not supported in BasicBlock");
}

TEST(VGG, RejectsUnknownConfigurations) {
  EXPECT_EQ(error_text<ValueError>([] { vision::vgg_features('C', false); }),
            "vgg_features: unknown configuration 'C', expected 'A', 'B', 'D' or 'E'");
}

TEST(DenseNet, LoadsKeysOfTheFirstVersions) {
  const vision::DenseNetOptions options{.num_classes = 3};
  vision::DenseNet a(4, {2, 1}, 8, options), b(4, {2, 1}, 8, options);
  const Value old = Value::ordered_dict();
  const Value state = a.state_dict();
  for (const auto& [key, value] : state.as_dict()) {
    std::string name = key.as_string();
    if (name.find("denselayer") != std::string::npos)
      for (const std::string part : {"norm1", "norm2", "conv1", "conv2"})
        if (const auto at = name.find(part); at != std::string::npos) name.insert(at + 4, ".");
    old[name] = value;
  }
  EXPECT_TRUE(old.contains("features.denseblock1.denselayer2.norm.1.weight"));
  EXPECT_TRUE(b.load_state_dict(old).empty());
  const Tensor x = rand({1, 3, 32, 32});
  EXPECT_TRUE(equal(evaluate(a, x), evaluate(b, x)));
}

TEST(DenseNet, RecomputationHasEqualGradients) {
  vision::DenseNet stored(4, {2, 2}, 8, {.num_classes = 3});
  vision::DenseNet recomputed(4, {2, 2}, 8, {.num_classes = 3, .memory_efficient = true});
  recomputed.load_state_dict(stored.state_dict());
  const Tensor x = rand({2, 3, 32, 32});
  stored(x).square().sum().backward();
  recomputed(x).square().sum().backward();
  const auto a = stored.parameters(), b = recomputed.parameters();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(equal(a[i].grad(), b[i].grad())) << i;
}

TEST(DenseNet, RecomputesInAMovedNetwork) {
  vision::DenseNet net(4, {1}, 8, {.num_classes = 3, .memory_efficient = true});
  const Tensor y = net(rand({2, 3, 32, 32}).requires_grad_());
  const vision::DenseNet moved = std::move(net);
  y.sum().backward();
  EXPECT_TRUE(moved.parameters().front().grad().defined());
}

TEST(DenseNet, RecomputesAfterItsDestruction) {
  const vision::DenseNetOptions options{.num_classes = 3, .memory_efficient = true};
  std::optional<vision::DenseNet> net(std::in_place, 4, std::vector<std::int64_t>{2, 2}, 8,
                                      options);
  vision::DenseNet stored(4, {2, 2}, 8, {.num_classes = 3});
  stored.load_state_dict(net->state_dict());
  const std::vector<Tensor> weights = net->parameters(), expected = stored.parameters();
  const Tensor x = rand({2, 3, 32, 32});
  const Tensor y = (*net)(x).square().sum();
  net.reset();
  y.backward();
  stored(x).square().sum().backward();
  for (std::size_t i = 0; i < weights.size(); ++i)
    EXPECT_TRUE(equal(weights[i].grad(), expected[i].grad())) << i;
}

TEST(DenseNet, RecomputesAfterAssignmentOfAnotherNetwork) {
  const vision::DenseNetOptions options{.num_classes = 3, .memory_efficient = true};
  vision::DenseNet net(4, {1}, 8, options);
  const std::vector<Tensor> weights = net.parameters();
  const Tensor y = net(rand({2, 3, 32, 32})).sum();
  net = vision::DenseNet(4, {1}, 8, options);
  y.backward();
  EXPECT_TRUE(weights.front().grad().defined());
  EXPECT_FALSE(net.parameters().front().grad().defined());
}

TEST(DenseNet, RecomputesInCopies) {
  vision::DenseNet net(4, {2}, 8, {.num_classes = 3, .memory_efficient = true});
  std::optional<vision::DenseNet> copy(net.clone());
  const Tensor x = rand({2, 3, 32, 32});
  const std::vector<Tensor> weights = copy->parameters();
  const Tensor y = (*copy)(x).square().sum();
  copy.reset();
  y.backward();
  net(x).square().sum().backward();
  const std::vector<Tensor> originals = net.parameters();
  for (std::size_t i = 0; i < weights.size(); ++i)
    EXPECT_TRUE(equal(weights[i].grad(), originals[i].grad())) << i;
}

TEST(MobileNetV2, RejectsInvalidSettings) {
  EXPECT_EQ(error_text<ValueError>([] {
              vision::mobilenet_v2({.inverted_residual_setting = {{1, 16, 1, 3}}});
            }),
            "stride should be 1 or 2 instead of 3");
  EXPECT_EQ(error_text<ValueError>([] { vision::mobilenet_v2({.inverted_residual_setting = {}}); }),
            "inverted_residual_setting should be non-empty");
}

TEST(StochasticDepth, DropsWholeSamples) {
  manual_seed(0);
  vision::StochasticDepth layer(0.5);
  EXPECT_EQ(layer.str(), "StochasticDepth(p=0.5, mode=row)");
  const Tensor y = layer(ones({64, 2, 3}));
  const Tensor sums = y.sum({1, 2});
  EXPECT_TRUE(((sums == 0) | (sums == 12)).all().item<bool>());
  EXPECT_TRUE((sums == 0).any().item<bool>());
  EXPECT_TRUE(equal(layer.eval()(ones({4, 2})), ones({4, 2})));
  EXPECT_TRUE(equal(vision::StochasticDepth(1.0)(ones({4, 2})), zeros({4, 2})));
  EXPECT_EQ(error_text<ValueError>([] { vision::StochasticDepth(1.5); }),
            "drop probability has to be between 0 and 1, but got 1.5");
}

TEST(MakeDivisible, NeverReducesByMoreThanATenth) {
  EXPECT_EQ(vision::make_divisible(32 * 0.35), 16);
  EXPECT_EQ(vision::make_divisible(1), 8);
  EXPECT_EQ(vision::make_divisible(20), 24);
  EXPECT_EQ(vision::make_divisible(19), 24);
  EXPECT_EQ(vision::make_divisible(18, 4), 20);
}

TEST(VisionTransformer, RejectsOtherSizes) {
  EXPECT_EQ(error_text<ValueError>([] {
              vision::VisionTransformer({30, 8, 1, 2, 16, 24});
            }),
            "VisionTransformer: patch_size 8 does not divide image_size 30");
  vision::VisionTransformer net = small_transformer();
  EXPECT_EQ(error_message<ShapeError>([&] {
              return net(rand({1, 3, 24, 32}));
            }),
            "VisionTransformer: got images of shape [1, 3, 24, 32], expected [N, 3, 32, 32]");
}

TEST(VisionTransformer, LoadsPerceptronsOfVersion1) {
  vision::VisionTransformer a = small_transformer(), b = small_transformer();
  const Value old = Value::ordered_dict();
  const Value state = a.state_dict();
  for (const auto& [key, value] : state.as_dict()) {
    std::string name = key.as_string();
    for (const auto& [now, before] :
         {std::pair{"mlp.0.", "mlp.linear_1."}, {"mlp.3.", "mlp.linear_2."}})
      if (const auto at = name.find(now); at != std::string::npos) name.replace(at, 6, before);
    old[name] = value;
  }
  EXPECT_TRUE(old.contains("encoder.layers.encoder_layer_1.mlp.linear_2.bias"));
  EXPECT_TRUE(b.load_state_dict(old).empty());
  EXPECT_TRUE(equal(b.state_dict()["encoder.layers.encoder_layer_0.mlp.3.weight"].as_tensor(),
                    a.state_dict()["encoder.layers.encoder_layer_0.mlp.3.weight"].as_tensor()));
}

TEST(VisionTransformer, HasAConvolutionalStem) {
  vision::VisionTransformer net = small_transformer(
      {.num_classes = 5,
       .conv_stem_configs = {{.out_channels = 8, .kernel_size = 3, .stride = 2},
                             {.out_channels = 12, .kernel_size = 3, .stride = 4}}});
  EXPECT_EQ(net.conv_proj->named_children().back().name, "conv_last");
  EXPECT_EQ(evaluate(net, rand({2, 3, 32, 32})).shape(), Shape({2, 5}));
}

TEST(PublishedWeights, AgreeWithTheModels) {
  EXPECT_EQ(vision::published_weights("resnet50").size(), 2u);
  EXPECT_TRUE(std::isnan(vision::published_weights("vgg16").at(1).acc1));
  EXPECT_TRUE(vision::published_weights("lenet").empty());
  vision::register_models();
  for (const char* name : {"resnet18", "mobilenet_v3_small", "efficientnet_b0", "densenet121"}) {
    std::int64_t count = 0;
    for (const Tensor& p : nn::make(name)->parameters()) count += p.numel();
    EXPECT_EQ(count, vision::published_weights(name).at(0).num_params) << name;
  }
}

TEST(Registry, CreatesModelsByTheNamesOfTorchvision) {
  vision::register_models();
  vision::register_models();
  const auto net = nn::make(
      "resnet18", {},
      Value::dict({{"num_classes", 3},
                   {"norm_layer", Value::dict({{"class", "GroupNorm"},
                                               {"args", Value::dict({{"num_groups", 4}})}})}}));
  EXPECT_EQ(net->get_submodule("bn1").type_name(), "GroupNorm");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("resnet18", {}, Value::dict({{"classes", 3}}));
            }),
            "resnet18() got an unexpected keyword argument 'classes'");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("resnet18", {}, Value::dict({{"norm_layer", 3}}));
            }),
            "resnet18(): argument 'norm_layer' must be the name of a class or a dict, not int");
  EXPECT_EQ(error_text<ValueError>([] {
              nn::make("resnet50", {},
                       Value::dict({{"replace_stride_with_dilation", Value::list({true})}}));
            }),
            "replace_stride_with_dilation should be None or a 3-element tuple, got [True]");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("ResNet", {"BasicBlock", Value::list({1, 1})});
            }),
            "ResNet(): argument 'layers' must be a list of 4 ints, not list");
}

}  // namespace
}  // namespace taper::test
