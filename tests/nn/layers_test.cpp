#include <cmath>

#include "nets.h"
#include "support/contains.h"
#include "support/warning_capture.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace {

using taper::test::contains, taper::test::WarningCapture;

using namespace nets;

// R8.2-01, R8.2-02, R8.2-03, R8.2-28, R8.2-29, R8.2-31, R8.2-32, R8.2-34, R8.2-36, R8.2-38,
// R8.2-39, R8.2-53, R8.2-61, R8.2-62
TEST(Layers, PrintAsPyTorch) {
  EXPECT_EQ(nn::Identity(54, true).str(), "Identity()");
  EXPECT_EQ(nn::Linear(2, 2).str(), "Linear(in_features=2, out_features=2, bias=True)");
  EXPECT_EQ(nn::Linear(2, 2, {.bias = false}).str(),
            "Linear(in_features=2, out_features=2, bias=False)");
  EXPECT_EQ(nn::Softmax().str(), "Softmax(dim=None)");
  EXPECT_EQ(nn::Softmax(1).str(), "Softmax(dim=1)");
  EXPECT_EQ(nn::LogSoftmax(-1).str(), "LogSoftmax(dim=-1)");
  EXPECT_EQ(nn::Softmin(1).str(), "Softmin(dim=1)");
  EXPECT_EQ(nn::Dropout(0.2, {.inplace = true}).str(), "Dropout(p=0.2, inplace=True)");
  EXPECT_EQ(nn::Dropout2d().str(), "Dropout2d(p=0.5, inplace=False)");
  EXPECT_EQ(nn::Flatten().str(), "Flatten(start_dim=1, end_dim=-1)");
  EXPECT_EQ(nn::Unflatten(1, {2, 5}).str(), "Unflatten(dim=1, unflattened_size=(2, 5))");
  EXPECT_EQ(nn::CrossEntropyLoss().str(), "CrossEntropyLoss()");
  EXPECT_EQ(nn::NLLLoss().str(), "NLLLoss()");
  EXPECT_EQ(nn::MSELoss().str(), "MSELoss()");
  EXPECT_EQ(nn::ReLU().str(), "ReLU()");
  EXPECT_EQ(nn::ReLU({.inplace = true}).str(), "ReLU(inplace=True)");
  EXPECT_EQ(nn::ReLU6().str(), "ReLU6()");
  EXPECT_EQ(nn::Hardtanh().str(), "Hardtanh(min_val=-1.0, max_val=1.0)");
  EXPECT_EQ(nn::Hardtanh(-2, 2, {.inplace = true}).str(),
            "Hardtanh(min_val=-2, max_val=2, inplace=True)");
  EXPECT_EQ(nn::LeakyReLU(0.2, {.inplace = true}).str(),
            "LeakyReLU(negative_slope=0.2, inplace=True)");
  EXPECT_EQ(nn::Threshold(0.1, 20, {.inplace = true}).str(),
            "Threshold(threshold=0.1, value=20, inplace=True)");
  EXPECT_EQ(nn::RReLU().str(), "RReLU(lower=0.125, upper=0.3333333333333333)");
  EXPECT_EQ(nn::RReLU(0.1, 1e-5, {.inplace = true}).str(),
            "RReLU(lower=0.1, upper=1e-05, inplace=True)");
  EXPECT_EQ(nn::Tanh().str(), "Tanh()");
  EXPECT_EQ(nn::Sigmoid().str(), "Sigmoid()");
  EXPECT_EQ(nn::ELU().str(), "ELU(alpha=1.0)");
  EXPECT_EQ(nn::ELU(0.5, {.inplace = true}).str(), "ELU(alpha=0.5, inplace=True)");
  EXPECT_EQ(nn::SELU({.inplace = true}).str(), "SELU(inplace=True)");
  EXPECT_EQ(nn::Hardswish({.inplace = true}).str(), "Hardswish()");
  EXPECT_EQ(nn::Hardshrink().str(), "Hardshrink(0.5)");
  EXPECT_EQ(nn::Softshrink().str(), "Softshrink(0.5)");
  EXPECT_EQ(nn::Softsign().str(), "Softsign()");
  EXPECT_EQ(nn::SiLU().str(), "SiLU()");
  EXPECT_EQ(nn::SiLU({.inplace = true}).str(), "SiLU(inplace=True)");
  EXPECT_EQ(nn::Mish({.inplace = true}).str(), "Mish(inplace=True)");
  EXPECT_EQ(nn::Hardsigmoid({.inplace = true}).str(), "Hardsigmoid()");
  EXPECT_EQ(nn::CELU(0.5, {.inplace = true}).str(), "CELU(alpha=0.5, inplace=True)");
  EXPECT_EQ(nn::Softplus().str(), "Softplus(beta=1.0, threshold=20.0)");
  EXPECT_EQ(nn::Softplus(2, 0.5).str(), "Softplus(beta=2, threshold=0.5)");
  EXPECT_EQ(nn::LogSigmoid().str(), "LogSigmoid()");
  EXPECT_EQ(nn::Tanhshrink().str(), "Tanhshrink()");
  EXPECT_EQ(nn::GLU().str(), "GLU(dim=-1)");
  EXPECT_EQ(nn::PReLU(3).str(), "PReLU(num_parameters=3)");
  EXPECT_EQ(nn::Softmax2d().str(), "Softmax2d()");
  EXPECT_EQ(nn::SmoothL1Loss({.beta = 2}).str(), "SmoothL1Loss()");
  EXPECT_EQ(nn::BCEWithLogitsLoss({.pos_weight = tensor({2.0})}).str(), "BCEWithLogitsLoss()");
  EXPECT_EQ(nn::HuberLoss({.delta = 2}).str(), "HuberLoss()");
  EXPECT_EQ(nn::TripletMarginWithDistanceLoss().str(),
            "TripletMarginWithDistanceLoss(\n  (distance_function): PairwiseDistance()\n)");
}

TEST(Linear, InitializesWithinInverseRootOfInputs) {
  manual_seed(0);
  const nn::Linear layer(16, 8);
  manual_seed(0);
  const nn::Linear again(16, 8);
  EXPECT_TRUE(equal(layer.weight, again.weight));
  float largest = 0;
  for (float w : layer.weight.data<const float>()) largest = std::max(largest, std::abs(w));
  EXPECT_LE(largest, 0.25f);
  EXPECT_GT(largest, 0.2f);
  EXPECT_EQ(layer.bias->shape(), Shape({8}));
}

TEST(Linear, MapsLastDimension) {
  nn::Linear layer(2, 3);
  layer.load_state_dict(Value::dict({{"weight", tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})},
                                     {"bias", tensor({0.5, 0.0, -0.5})}}));
  EXPECT_TRUE(equal(layer(row(1, 1)), tensor({3.5, 7.0, 10.5})));
  EXPECT_EQ(layer(zeros({4, 5, 2})).shape(), Shape({4, 5, 3}));
  layer.bias.reset();
  EXPECT_TRUE(equal(layer(row(1, 1)), tensor({3.0, 7.0, 11.0})));
  EXPECT_EQ(layer.str(), "Linear(in_features=2, out_features=3, bias=False)");
}

TEST(Linear, ErrorsNameLayerAndInput) {
  nn::Sequential net{nn::Linear(2, 3), nn::Linear(4, 5)};
  const std::string text = error_text<ShapeError>([&] { net(row(1, 2)); });
  EXPECT_TRUE(contains(text,
                       "in 1: Linear(in_features=4, out_features=5, bias=True), called with "
                       "float32 [3]"));
  EXPECT_THROW(nn::Linear(-1, 2), ValueError);
}

TEST(Linear, AcceptsDtypeAndDevice) {
  const nn::Linear layer(2, 3, {.dtype = float64, .device = Device::meta()});
  EXPECT_EQ(layer.weight.dtype(), float64);
  EXPECT_TRUE(layer.bias->device().is_meta());
}

TEST(Dropout, AppliesInTrainingOnly) {
  nn::Dropout layer(1);
  EXPECT_TRUE(equal(layer(ones({4})), zeros({4})));
  layer.eval();
  EXPECT_TRUE(equal(layer(ones({4})), ones({4})));
  EXPECT_EQ(error_text<ValueError>([] { nn::Dropout(1.5); }),
            "dropout probability has to be between 0 and 1, but got 1.5");
}

TEST(PReLU, LearnsASlopePerChannel) {
  nn::PReLU layer(2, {.init = 0.5});
  const Tensor x = tensor({{-2.0, -4.0}, {1.0, -1.0}});
  const Tensor y = layer(x);
  EXPECT_TRUE(equal(y, tensor({{-1.0, -2.0}, {1.0, -0.5}})));
  y.sum().backward();
  EXPECT_TRUE(equal(layer.weight.grad(), tensor({-2.0, -5.0})));
  layer.reset_parameters();
  EXPECT_TRUE(equal(layer.weight, tensor({0.5, 0.5})));
  EXPECT_THROW(layer(zeros({2, 3})), ShapeError);
  EXPECT_THROW(layer(zeros({})), ShapeError);
  EXPECT_THROW(layer(zeros({2, 2}, {.dtype = float64})), DTypeError);
  EXPECT_TRUE(equal(nn::PReLU()(tensor(-4.0)), tensor(-1.0)));
}

TEST(GLU, RejectsOddSizes) {
  EXPECT_TRUE(equal(nn::GLU(0)(tensor({3.0, 0.0})), tensor({1.5})));
  EXPECT_THROW(nn::GLU()(zeros({2, 3})), ShapeError);
  EXPECT_THROW(nn::GLU()(zeros({})), ShapeError);
  EXPECT_THROW(nn::GLU(2)(zeros({2, 2})), IndexError);
}

TEST(Softmax2d, NormalizesChannels) {
  EXPECT_TRUE(equal(nn::Softmax2d()(zeros({2, 1, 3})), full({2, 1, 3}, 0.5)));
  EXPECT_THROW(nn::Softmax2d()(zeros({2, 3})), ShapeError);
}

TEST(Softmax, ImplicitDimensionWarns) {
  const WarningCapture warnings;
  const Tensor y = nn::LogSoftmax()(zeros({2, 4}));
  EXPECT_FLOAT_EQ(y.data<float>()[0], -std::log(4.f));
  EXPECT_EQ(warnings.last(),
            "Implicit dimension choice for log_softmax has been deprecated. Change the call to "
            "include dim=X as an argument.");
}

TEST(Flatten, FlattenAndUnflattenReshape) {
  EXPECT_EQ(nn::Flatten()(zeros({2, 3, 4})).shape(), Shape({2, 12}));
  EXPECT_EQ(nn::Unflatten(1, {3, -1})(zeros({2, 12})).shape(), Shape({2, 3, 4}));
}

TEST(Flatten, AcceptsDimensionsByPositionAndByName) {
  const Tensor x = zeros({2, 3, 4, 5});
  EXPECT_EQ(nn::Flatten()(x).shape(), Shape({2, 60}));
  EXPECT_EQ(nn::Flatten(2)(x).shape(), Shape({2, 3, 20}));
  EXPECT_EQ(nn::Flatten(0, 1)(x).shape(), Shape({6, 4, 5}));
  EXPECT_EQ(nn::Flatten({.end_dim = 2})(x).shape(), Shape({2, 12, 5}));
  EXPECT_EQ(nn::Flatten({.start_dim = 2}).str(), "Flatten(start_dim=2, end_dim=-1)");
}

TEST(CrossEntropyLoss, AppliesWeightsAndLabelSmoothing) {
  const Tensor x = zeros({2, 4}), target = tensor({1, 3});
  EXPECT_NEAR(nn::CrossEntropyLoss()(x, target).item<double>(), std::log(4.0), 1e-6);
  const nn::CrossEntropyLoss weighted({.weight = tensor({1.0, 2.0, 3.0, 4.0})});
  EXPECT_EQ(keys(nn::CrossEntropyLoss({.weight = ones({4})}).state_dict()), "weight");
  EXPECT_EQ(weighted.weight->shape(), Shape({4}));
  EXPECT_NEAR(nn::CrossEntropyLoss({.label_smoothing = 0.3})(x, target).item<double>(),
              std::log(4.0), 1e-6);
  EXPECT_THROW(nn::CrossEntropyLoss({.label_smoothing = 1.5})(x, target), ValueError);
  EXPECT_THROW(nn::CrossEntropyLoss({.reduction = "most"})(x, target), ValueError);
}

TEST(NLLLoss, IgnoresIndex) {
  nn::NLLLoss loss({.ignore_index = 1, .reduction = "none"});
  const Tensor y = loss(tensor({{-1.0, -2.0}, {-3.0, -4.0}}), tensor({0, 1}));
  EXPECT_TRUE(equal(y, tensor({1.0, 0.0})));
}

TEST(MSELoss, ComputesLossAndWarnsOfDifferentSizes) {
  EXPECT_EQ(nn::MSELoss()(row(1, 2), row(3, 5)).item<float>(), 6.5f);
  EXPECT_EQ(nn::L1Loss({.reduction = "sum"})(row(1, 2), row(3, 5)).item<float>(), 5);
  EXPECT_THROW(nn::MSELoss({.reduction = "avg"})(row(1, 2), row(3, 5)), ValueError);
  const WarningCapture warnings;
  nn::MSELoss()(row(1, 2), zeros({1}));
  EXPECT_EQ(
      warnings.last().substr(0, 92),
      "Using a target size (torch.Size([1])) that is different to the input size (torch.Size([2"
      "])).");
}

TEST(Activations, SupportInPlace) {
  const Tensor x = tensor({-1.0, 2.0, 8.0});
  EXPECT_TRUE(equal(nn::ReLU()(x), tensor({0.0, 2.0, 8.0})));
  EXPECT_TRUE(equal(nn::ReLU6()(x), tensor({0.0, 2.0, 6.0})));
  EXPECT_TRUE(equal(nn::Hardtanh()(x), tensor({-1.0, 1.0, 1.0})));
  EXPECT_TRUE(equal(nn::LeakyReLU(0.5)(x), tensor({-0.5, 2.0, 8.0})));
  EXPECT_TRUE(equal(nn::Threshold(3, 7)(x), tensor({7.0, 7.0, 8.0})));
  EXPECT_TRUE(nn::ReLU({.inplace = true})(x).is_same(x));
  EXPECT_TRUE(equal(x, tensor({0.0, 2.0, 8.0})));
  EXPECT_THROW(nn::Hardtanh(1, 1), ValueError);
  EXPECT_NEAR(nn::Tanh()(x).flatten()[1].item<float>(), std::tanh(2.f), 1e-6);
  EXPECT_NEAR(nn::Sigmoid()(x).flatten()[0].item<float>(), 0.5, 1e-7);
}

TEST(Activations, PreserveIntegers) {
  const Tensor x = tensor({-3, 0, 9});
  EXPECT_EQ(F::hardtanh(x).str(), "tensor([-1,  0,  1])");
  EXPECT_EQ(F::hardtanh(x, -0.5, 2.5).str(), "tensor([0, 0, 2])");
  EXPECT_EQ(F::relu6(x).str(), "tensor([0, 0, 6])");
  const Tensor bytes = tensor({3, 9}, {.dtype = uint8});
  EXPECT_EQ(F::relu6(bytes).str(), "tensor([3, 6], dtype=torch.uint8)");
  EXPECT_EQ(F::hardtanh(bytes).str(), "tensor([1, 1], dtype=torch.uint8)");
  EXPECT_THROW(F::hardtanh(bytes, -3, -1), RuntimeError);
  EXPECT_THROW(F::hardtanh(x > 0), NotImplementedError);
  EXPECT_THROW(F::relu6(x > 0), NotImplementedError);
}

TEST(BatchNorm, RejectsZeroEpsInTraining) {
  const Tensor x = randn({4, 3});
  nn::BatchNorm1d norm(3, {.eps = 0});
  EXPECT_TRUE(contains(error_text<ValueError>([&] { norm(x); }),
                       "batch_norm: eps must be positive during training, but got 0.0"));
  EXPECT_TRUE(equal(*norm.running_mean, zeros({3})));
  norm.eval();
  EXPECT_TRUE(equal(norm(x), x));
  EXPECT_TRUE(
      allclose(F::instance_norm(x.view({1, 3, 4}), {.eps = 0}).mean(2), zeros({1, 3}), 0, 1e-6));
}

TEST(Softsign, DividesByOnePlusAbsoluteValue) {
  const Tensor x = tensor({-3.0, 0.0, 1.0}).requires_grad_();
  const Tensor y = nn::Softsign()(x);
  EXPECT_TRUE(equal(y.detach(), tensor({-0.75, 0.0, 0.5})));
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({0.0625, 1.0, 0.25})));
  EXPECT_TRUE(equal(F::softsign(tensor({-1, 3})), tensor({-0.5, 0.75})));
}

}  // namespace
