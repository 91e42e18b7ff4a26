// Examples of the pages in docs/models.
#include <gtest/gtest.h>

#include "lstm_tagger/lstm_tagger.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/nn/registry.h"
#include "taper/optim/adam.h"
#include "taper/optim/sgd.h"
#include "transformer/seq2seq.h"
#include "unet/unet.h"
#include "vision/convnext.h"
#include "vision/densenet.h"
#include "vision/efficientnet.h"
#include "vision/mobilenet_v2.h"
#include "vision/mobilenet_v3.h"
#include "vision/registry.h"
#include "vision/resnet.h"
#include "vision/vgg.h"
#include "vision/vision_transformer.h"

namespace taper::test {
namespace {

TEST(ModelPages, Overview) {
  vision::register_models();
  const std::shared_ptr<nn::Module> net =
      nn::make("mobilenet_v3_small", {}, Value::dict({{"num_classes", 10}}));
  EXPECT_EQ((*net)(rand({2, 3, 64, 64})).shape(), Shape({2, 10}));
}

TEST(ModelPages, ResNet) {
  const TempDir folder;
  const std::string file = folder / "resnet18.pth";
  save(vision::resnet18().state_dict(), file);
  const Tensor images = rand({2, 3, 64, 64}), classes = tensor({1, 4});

  vision::ResNet net = vision::resnet18();
  net.load_state_dict(load(file));
  net.requires_grad_(false);
  net.fc = nn::Linear(net.fc.in_features, 5);  // a new head for five classes
  optim::SGD optimizer(net.fc.parameters(), {.lr = 0.01, .momentum = 0.9});
  F::cross_entropy(net(images), classes).backward();
  optimizer.step();

  vision::ResNet wide = vision::wide_resnet50_2({.num_classes = 10, .zero_init_residual = true});
  vision::ResNet own(vision::ResidualBlock::bottleneck, {1, 2, 2, 1},
                     {.norm_layer = vision::group_norm(32)});
  EXPECT_EQ(own.bn1->type_name(), "GroupNorm");
}

TEST(ModelPages, VGG) {
  const vision::VGG net = vision::vgg11_bn({.num_classes = 10, .dropout = 0.2});
  const Tensor features = net.features(rand({1, 3, 64, 64}));  // (1, 512, 2, 2)
  EXPECT_EQ(features.shape(), Shape({1, 512, 2, 2}));
}

TEST(ModelPages, DenseNet) {
  vision::DenseNet net = vision::densenet121({.drop_rate = 0.1, .memory_efficient = true});
  vision::DenseNet small(12, {4, 4, 4}, 24, {.num_classes = 10});
  EXPECT_EQ(small(rand({2, 3, 32, 32})).shape(), Shape({2, 10}));
}

TEST(ModelPages, MobileNetV2) {
  vision::MobileNetV2 net = vision::mobilenet_v2({.num_classes = 10, .width_mult = 0.5});
  EXPECT_EQ(net(rand({2, 3, 64, 64})).shape(), Shape({2, 10}));
}

TEST(ModelPages, MobileNetV3) {
  vision::MobileNetV3 net = vision::mobilenet_v3_large({.num_classes = 10, .reduced_tail = true});
  EXPECT_EQ(net(rand({2, 3, 64, 64})).shape(), Shape({2, 10}));
}

TEST(ModelPages, EfficientNet) {
  vision::EfficientNet net = vision::efficientnet_b0({.num_classes = 10, .dropout = 0.3});
  EXPECT_EQ(net(rand({2, 3, 64, 64})).shape(), Shape({2, 10}));
}

TEST(ModelPages, ConvNeXt) {
  vision::ConvNeXt net = vision::convnext_tiny({.num_classes = 10, .stochastic_depth_prob = 0.2});
  EXPECT_EQ(net(rand({1, 3, 64, 64})).shape(), Shape({1, 10}));
}

TEST(ModelPages, VisionTransformer) {
  vision::VisionTransformer small({.image_size = 32,
                                   .patch_size = 4,
                                   .num_layers = 6,
                                   .num_heads = 4,
                                   .hidden_dim = 64,
                                   .mlp_dim = 128},
                                  {.dropout = 0.1, .num_classes = 10});
  EXPECT_EQ(small(rand({2, 3, 32, 32})).shape(), Shape({2, 10}));
}

TEST(ModelPages, UNet) {
  unet::UNet net(3, 2);
  const Tensor images = rand({1, 3, 32, 32}), mask = randint(0, 2, {1, 32, 32});
  F::cross_entropy(net(images), mask).backward();
  EXPECT_TRUE(net.outc.conv.weight.grad().defined());
}

TEST(ModelPages, LSTMTagger) {
  lstm_tagger::LSTMTagger net(6, 6, 9, 3);
  const Tensor sentence = tensor({0, 1, 2, 3, 4}), tags = tensor({0, 1, 2, 0, 1});
  F::nll_loss(net(sentence), tags).backward();
  EXPECT_TRUE(net.lstm.parameters().front().grad().defined());
}

TEST(ModelPages, Seq2Seq) {
  transformer::Seq2Seq net(1000, 64,
                           {.d_model = 32,
                            .nhead = 4,
                            .num_encoder_layers = 2,
                            .num_decoder_layers = 2,
                            .dim_feedforward = 64});
  const Tensor source = tensor({{5, 6, 7, 0}}), target = tensor({{8, 9, 10}});
  const Tensor given = cat({tensor({{1}}), target.narrow(1, 0, 2)}, 1);  // 1 starts a sequence
  const Tensor logits = net(source, given);                              // (1, 3, 1000)
  F::cross_entropy(logits.flatten(0, 1), target.flatten(), {.ignore_index = 0}).backward();
  EXPECT_TRUE(net.out.weight.grad().defined());
}

}  // namespace
}  // namespace taper::test
