// Networks for sequences and for segmentation.
#include <gtest/gtest.h>

#include <cmath>

#include "lstm_tagger/lstm_tagger.h"
#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/optim/sgd.h"
#include "transformer/seq2seq.h"
#include "unet/unet.h"

namespace taper::test {
namespace {

transformer::Seq2Seq small_seq2seq() {
  return transformer::Seq2Seq(9, 6,
                              {.d_model = 8,
                               .nhead = 2,
                               .num_encoder_layers = 1,
                               .num_decoder_layers = 1,
                               .dim_feedforward = 16,
                               .dropout = 0});
}

TEST(SinusoidalPositions, AlternateSinesAndCosines) {
  const Tensor p = transformer::sinusoidal_positions(5, 4), third = p[3];
  EXPECT_EQ(p.shape(), Shape({5, 4}));
  EXPECT_NEAR(third[0].item<double>(), std::sin(3.0), 1e-6);
  EXPECT_NEAR(third[1].item<double>(), std::cos(3.0), 1e-6);
  EXPECT_NEAR(third[2].item<double>(), std::sin(0.03), 1e-6);
  EXPECT_EQ(error_text<ValueError>([] { return transformer::sinusoidal_positions(5, 3); }),
            "sinusoidal_positions: expected an even number of features, got 3");
}

TEST(Seq2Seq, IgnoresPaddingAndLaterPositions) {
  const transformer::Seq2Seq net = small_seq2seq();
  const Tensor source = tensor({{2, 3, 0}}), target = tensor({{1, 4, 5}});
  const Tensor y = net(source, target);
  EXPECT_EQ(y.shape(), Shape({1, 3, 9}));
  const Tensor padded = net(tensor({{2, 3, 0, 0}}), target);
  EXPECT_TRUE(allclose(y, padded, 1e-4, 1e-5));
  const Tensor other = net(source, tensor({{1, 4, 7}}));
  EXPECT_TRUE(allclose(y.narrow(1, 0, 2), other.narrow(1, 0, 2), 1e-4, 1e-5));
  EXPECT_FALSE(allclose(y, other, 1e-4, 1e-5));
  EXPECT_FALSE(net.state_dict().contains("positions"));
}

TEST(Seq2Seq, RejectsLongSequences) {
  const transformer::Seq2Seq net = small_seq2seq();
  EXPECT_EQ(error_message<ShapeError>([&] {
              return net(ones({1, 7}, {.dtype = int64}), ones({1, 2}, {.dtype = int64}));
            }),
            "Seq2Seq: got ids of shape [1, 7], expected [N, L] with L <= 6");
}

TEST(LSTMTagger, LearnsASentence) {
  manual_seed(1);
  lstm_tagger::LSTMTagger net(6, 6, 5, 3);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const Tensor sentence = tensor({0, 1, 2, 3, 4}), tags = tensor({0, 1, 2, 0, 1});
  for (int i = 0; i < 300; ++i) {
    optimizer.zero_grad();
    F::nll_loss(net(sentence), tags).backward();
    optimizer.step();
  }
  EXPECT_TRUE(equal(net(sentence).argmax(1), tags));
}

TEST(UNet, HasTheNamesOfItsReference) {
  unet::UNet net(3, 2);
  const Value state = net.state_dict();
  for (const char* key : {"inc.double_conv.0.weight", "down4.maxpool_conv.1.double_conv.4.bias",
                          "up1.up.weight", "up4.conv.double_conv.3.weight", "outc.conv.bias"})
    EXPECT_TRUE(state.contains(key)) << key;
  unet::UNet bilinear(3, 2, {.bilinear = true});
  EXPECT_FALSE(bilinear.state_dict().contains("up1.up.weight"));
}

TEST(UNet, PreservesOddSizes) {
  unet::UNet net = unet::UNet(1, 2).eval();
  const NoGrad guard;
  EXPECT_EQ(net(rand({1, 1, 19, 33})).shape(), Shape({1, 2, 19, 33}));
}

}  // namespace
}  // namespace taper::test
