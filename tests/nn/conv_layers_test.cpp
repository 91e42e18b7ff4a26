#include <cmath>

#include "nets.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace {

using namespace nets;

// R8.2-06, R8.2-07, R8.2-08, R8.2-09, R8.2-10, R8.2-11, R8.2-16, R8.2-17, R8.2-20, R8.2-23,
// R8.2-40, R8.2-41, R8.2-66
TEST(ConvLayers, PrintAsPyTorch) {
  EXPECT_EQ(nn::Conv1d(1, 2, 3).str(), "Conv1d(1, 2, kernel_size=(3,), stride=(1,))");
  EXPECT_EQ(nn::Conv2d(3, 16, 3).str(), "Conv2d(3, 16, kernel_size=(3, 3), stride=(1, 1))");
  EXPECT_EQ(nn::Conv2d(3, 16, 3, {.stride = 2, .padding = 1, .bias = false}).str(),
            "Conv2d(3, 16, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False)");
  EXPECT_EQ(nn::Conv2d(4, 8, {3, 5}, {.padding = {1, 2}, .dilation = 2, .groups = 2}).str(),
            "Conv2d(4, 8, kernel_size=(3, 5), stride=(1, 1), padding=(1, 2), dilation=(2, 2), "
            "groups=2)");
  EXPECT_EQ(nn::Conv2d(4, 8, 3, {.padding = "same"}).str(),
            "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same)");
  EXPECT_EQ(
      nn::Conv2d(4, 8, 3, {.padding = 1, .padding_mode = "reflect"}).str(),
      "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), padding_mode=reflect)");
  EXPECT_EQ(nn::MaxPool2d(2).str(),
            "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(nn::MaxPool2d({2, 3}, {.stride = {1, 2}, .padding = 1, .ceil_mode = true}).str(),
            "MaxPool2d(kernel_size=(2, 3), stride=(1, 2), padding=1, dilation=1, ceil_mode=True)");
  EXPECT_EQ(nn::AvgPool2d(2).str(), "AvgPool2d(kernel_size=2, stride=2, padding=0)");
  EXPECT_EQ(nn::AdaptiveAvgPool2d({1, 1}).str(), "AdaptiveAvgPool2d(output_size=(1, 1))");
  EXPECT_EQ(nn::AdaptiveAvgPool2d(1).str(), "AdaptiveAvgPool2d(output_size=1)");
  EXPECT_EQ(nn::AdaptiveAvgPool2d({std::nullopt, 7}).str(),
            "AdaptiveAvgPool2d(output_size=(None, 7))");
  EXPECT_EQ(nn::BatchNorm1d(4).str(),
            "BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)");
  EXPECT_EQ(nn::BatchNorm3d(4, {.momentum = {}, .track_running_stats = false}).str(),
            "BatchNorm3d(4, eps=1e-05, momentum=None, affine=True, bias=True, "
            "track_running_stats=False)");
}

TEST(Conv2d, RejectsInvalidOptions) {
  const auto text = [](nn::ConvOptions o) {
    return error_text<ValueError>([&] { nn::Conv2d(3, 4, 3, o); });
  };
  EXPECT_EQ(text({.groups = 0}), "groups must be a positive integer");
  EXPECT_EQ(text({.groups = 2}), "in_channels must be divisible by groups");
  EXPECT_EQ(text({.groups = 3}), "out_channels must be divisible by groups");
  EXPECT_EQ(text({.stride = 2, .padding = "same"}),
            "padding='same' is not supported for strided convolutions");
  EXPECT_EQ(error_text<ValueError>([] { nn::Conv2d(3, 4, 3, {.padding = "full"}); }),
            "Invalid padding string 'full', should be one of {'same', 'valid'}");
  EXPECT_EQ(text({.padding_mode = "mirror"}),
            "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
            "padding_mode='mirror'");
  EXPECT_THROW(nn::Conv2d(3, 4, {3, 3, 3}), ValueError);
  EXPECT_THROW(nn::Conv2d(3, 4, -1), ValueError);
}

TEST(Conv2d, ComputesConvolution) {
  nn::Conv2d conv(1, 1, 2, {.padding = 1});
  conv.load_state_dict(Value::dict({{"weight", ones({1, 1, 2, 2})}, {"bias", tensor({0.5})}}));
  const Tensor y = conv(ones({1, 1, 2, 2}));
  EXPECT_TRUE(equal(y, tensor({{{{1.5, 2.5, 1.5}, {2.5, 4.5, 2.5}, {1.5, 2.5, 1.5}}}})));
  EXPECT_EQ(nn::Conv2d(3, 4, 3, {.padding = "same"})(zeros({2, 3, 5, 7})).shape(),
            Shape({2, 4, 5, 7}));
  nn::Conv2d wrap(1, 1, {1, 3}, {.padding = {0, 1}, .bias = false, .padding_mode = "circular"});
  wrap.load_state_dict(Value::dict({{"weight", tensor({{{{1.0, 0.0, 0.0}}}})}}));
  EXPECT_TRUE(equal(wrap(tensor({{{{1.0, 2.0, 3.0}}}})), tensor({{{{3.0, 1.0, 2.0}}}})));
}

TEST(Conv2d, InitializesUniformlyWithinInverseRootOfFan) {
  manual_seed(3);
  nn::Conv2d conv(4, 60, 3, {.groups = 2});
  EXPECT_EQ(conv.weight.shape(), Shape({60, 2, 3, 3}));
  const float bound = 1 / std::sqrt(18.f);
  for (const Tensor& t : conv.parameters()) {
    float min = bound, max = -bound;
    for (float w : t.data<const float>()) {
      EXPECT_LE(std::abs(w), bound);
      min = std::min(min, w), max = std::max(max, w);
    }
    // The probability that none of at least 60 values exceeds 0.8 of the bound is 0.9^60 = 0.002.
    EXPECT_LT(min, -0.8f * bound);
    EXPECT_GT(max, 0.8f * bound);
  }
}

TEST(MaxPool2d, ReturnsIndicesOnRequest) {
  const Tensor x = tensor({{{{1.0, 4.0}, {3.0, 2.0}}}});
  EXPECT_EQ(nn::MaxPool2d(2)(x).item<float>(), 4);
  EXPECT_EQ(nn::AvgPool2d(2)(x).item<float>(), 2.5f);
  EXPECT_EQ(nn::AdaptiveAvgPool2d(1)(x).item<float>(), 2.5f);
  nn::MaxPool2d both(2, {.return_indices = true});
  EXPECT_EQ(both.call({x})[1].as_tensor().item<std::int64_t>(), 1);
  EXPECT_EQ(both.forward_with_indices(x).first.item<float>(), 4);
  EXPECT_THROW(both(x), TypeError);
}

TEST(BatchNorm, TracksStatisticsInTraining) {
  nn::BatchNorm1d bn(1, {.momentum = 0.5});
  const Tensor x = tensor({{1.0}, {3.0}});
  const Tensor y = bn(x);
  EXPECT_NEAR(y.data<float>()[1], 1, 1e-4);
  EXPECT_FLOAT_EQ(bn.running_mean->data<float>()[0], 1);
  EXPECT_FLOAT_EQ(bn.running_var->data<float>()[0], 1.5);
  EXPECT_EQ(bn.num_batches_tracked->item<std::int64_t>(), 1);
  bn.eval();
  EXPECT_NEAR(bn(x).flatten()[0].item<float>(), 0, 1e-6);
  EXPECT_EQ(bn.num_batches_tracked->item<std::int64_t>(), 1);
  EXPECT_EQ(keys(bn.state_dict()), "weight bias running_mean running_var num_batches_tracked");
}

TEST(BatchNorm, AveragesAllBatchesWithoutMomentum) {
  nn::BatchNorm1d bn(1, {.momentum = {}});
  bn(tensor({{1.0}, {3.0}}));
  bn(tensor({{5.0}, {7.0}}));
  EXPECT_FLOAT_EQ(bn.running_mean->data<float>()[0], 4);
  bn.reset_running_stats();
  EXPECT_EQ(bn.running_mean->data<float>()[0], 0);
}

TEST(BatchNorm, HasEmptyStateDictWithoutAffineAndTracking) {
  nn::BatchNorm2d bn(2, {.affine = false, .track_running_stats = false});
  EXPECT_EQ(keys(bn.state_dict()), "");
  bn.eval();
  EXPECT_NEAR(bn(tensor({{{{1.0, 3.0}}, {{5.0, 5.0}}}})).flatten()[0].item<float>(), -1, 1e-4);
  nn::BatchNorm2d half(2, {.bias = false});
  EXPECT_EQ(names(half.named_parameters()), "weight");
  EXPECT_EQ(error_text<ValueError>([&] {
              bn.forward(zeros({2, 2}));
            }),
            "expected 4D input (got 2D input)");
  EXPECT_EQ(error_text<ValueError>([&] { nn::BatchNorm1d(2).forward(zeros({2})); }),
            "expected 2D or 3D input (got 1D input)");
}

// R1.2-03, R5.4-01
TEST(BatchNorm, LoadsStateDictsOfOldVersion) {
  nn::BatchNorm2d bn(2);
  Value file = bn.state_dict();
  EXPECT_EQ(file.as_dict().attribute("_metadata")->repr(), "OrderedDict([('', {'version': 2})])");
  file.as_dict().erase("num_batches_tracked");
  EXPECT_THROW(bn.load_state_dict(file), RuntimeError);
  const Value plain = Value::dict();
  for (const auto& [key, v] : file.as_dict()) plain[key] = v;
  EXPECT_TRUE(bn.load_state_dict(plain).empty());
}

struct LeNet : nn::Module {
  nn::Conv2d conv1{1, 20, 5}, conv2{20, 50, 5};
  nn::Linear fc1{4 * 4 * 50, 500}, fc2{500, 10};
  TAPER_MODULE(LeNet, conv1, conv2, fc1, fc2)

  Tensor forward(Tensor x) {
    x = F::max_pool2d(F::relu(conv1(x)), 2);
    x = F::max_pool2d(F::relu(conv2(x)), 2);
    x = F::relu(fc1(x.view({-1, 4 * 4 * 50})));
    return F::log_softmax(fc2(x), 1);
  }
};

TEST(LeNet, OverfitsOneBatch) {
  manual_seed(1);
  LeNet net;
  EXPECT_EQ(net.str(),
            "LeNet(\n"
            "  (conv1): Conv2d(1, 20, kernel_size=(5, 5), stride=(1, 1))\n"
            "  (conv2): Conv2d(20, 50, kernel_size=(5, 5), stride=(1, 1))\n"
            "  (fc1): Linear(in_features=800, out_features=500, bias=True)\n"
            "  (fc2): Linear(in_features=500, out_features=10, bias=True)\n"
            ")");
  optim::SGD opt(net.parameters(), {.lr = 0.05, .momentum = 0.9});
  const Tensor x = randn({8, 1, 28, 28}), target = randint(10, {8});
  double first = 0, last = 0;
  for (int i = 0; i < 15; ++i) {
    opt.zero_grad();
    const Tensor loss = F::nll_loss(net(x), target);
    loss.backward();
    opt.step();
    last = loss.item<double>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, first / 5);
}

TEST(Conv2d, InfinitiesReachOnlyTheirWindows) {
  // These sizes are computed in tiles, by Winograd's algorithm.
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = zeros({1, 32, 16, 16});
  x[0][3][6][9].fill_(inf);
  const Tensor input = x.set_requires_grad(), w = ones({32, 32, 3, 3}).set_requires_grad();
  const Tensor y = F::conv2d(input, w, {}, {.padding = {1, 1}});
  const Tensor want = zeros({1, 32, 16, 16});
  want.narrow(2, 5, 3).narrow(3, 8, 3).fill_(inf);
  EXPECT_TRUE(equal(y, want));
  const Tensor dy = zeros({1, 32, 16, 16});
  dy[0][5][10][2].fill_(inf);
  const auto g = autograd::grad({y}, {input}, {.grad_outputs = {dy}});
  const Tensor want_dx = zeros({1, 32, 16, 16});
  want_dx.narrow(2, 9, 3).narrow(3, 1, 3).fill_(inf);
  EXPECT_TRUE(equal(g[0], want_dx));
}

}  // namespace
