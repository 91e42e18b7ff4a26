// Losses: values worked out by hand, gradients, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/taper.h"

namespace {

using namespace taper;
using taper::test::contains, taper::test::error_text, taper::test::WarningCapture;

namespace F = nn::functional;

double value_of(const Tensor& t) { return t.item<double>(); }
Tensor doubles(const NestedList& values) { return tensor(values, {.dtype = float64}); }
Tensor variable(const NestedList& values) {
  return tensor(values, {.dtype = float64, .requires_grad = true});
}
Tensor grad_of(const Tensor& loss, const Tensor& x) { return autograd::grad(loss, x); }

TEST(BinaryCrossEntropy, LimitsLogarithmsAndGradients) {
  const Tensor x = variable({0.0, 1.0, 0.5}), y = doubles({1.0, 0.0, 0.5});
  EXPECT_TRUE(allclose(F::binary_cross_entropy(x, y, {.reduction = "none"}),
                       doubles({100.0, 100.0, std::log(2.0)})));
  EXPECT_TRUE(allclose(grad_of(F::binary_cross_entropy(x, y, {.reduction = "sum"}), x),
                       doubles({-1e12, 1e12, 0.0})));
  const Tensor g = autograd::grad(F::binary_cross_entropy(x, y, {.reduction = "sum"}), x,
                                  {.create_graph = true});
  EXPECT_TRUE(allclose(grad_of(g.sum(), x), doubles({1e24, 1e24, 4.0})));
}

TEST(BinaryCrossEntropy, RejectsInvalidArguments) {
  const Tensor x = tensor({0.5, 2.0}), y = tensor({0.0, 1.0});
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::binary_cross_entropy(x, y); }),
                       "all elements of input should be between 0 and 1"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::binary_cross_entropy(y, x); }),
                       "all elements of target should be between 0 and 1"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::binary_cross_entropy(y, ones({3})); }),
                       "different to the input size"));
  EXPECT_TRUE(contains(error_text<DTypeError>([&] { F::binary_cross_entropy(y, y.to(float64)); }),
                       "found target of dtype"));
  EXPECT_TRUE(contains(
      error_text<ValueError>([&] { F::binary_cross_entropy(y, y, {.reduction = "best"}); }),
      "best is not a valid value for reduction"));
}

TEST(BinaryCrossEntropyWithLogits, IsStableForLargeLogits) {
  const Tensor x = variable({1000.0, -1000.0, 0.0}), y = doubles({0.0, 1.0, 1.0});
  const Tensor loss = F::binary_cross_entropy_with_logits(
      x, y, {.reduction = "none", .pos_weight = doubles({3.0})});
  EXPECT_TRUE(allclose(loss, doubles({1000.0, 3000.0, 3 * std::log(2.0)})));
  EXPECT_TRUE(allclose(grad_of(loss.sum(), x), doubles({1.0, -3.0, -1.5})));
}

TEST(HuberLoss, IsSquaredBelowDeltaAndLinearAbove) {
  const Tensor x = variable({1.0, 3.0, -std::numeric_limits<double>::infinity()});
  const Tensor loss = F::huber_loss(x, doubles({0.0, 0.0, 0.0}), {.reduction = "none", .delta = 2});
  EXPECT_TRUE(equal(loss, doubles({0.5, 4.0, std::numeric_limits<double>::infinity()})));
  EXPECT_TRUE(equal(grad_of(loss.sum(), x), doubles({1.0, 2.0, -2.0})));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::huber_loss(x, x, {.delta = 0}); }),
                       "non-positive values for delta"));
}

TEST(KLDiv, AveragesOverBatchAndWarnsOfMean) {
  const Tensor x = doubles({{-1.0, -2.0}, {-3.0, -1.0}}), y = doubles({{0.0, 1.0}, {0.5, 0.5}});
  const double total = 2 + 0.5 * (std::log(0.5) + 3) + 0.5 * (std::log(0.5) + 1);
  EXPECT_NEAR(value_of(F::kl_div(x, y, {.reduction = "batchmean"})), total / 2, 1e-12);
  const WarningCapture warnings;
  EXPECT_NEAR(value_of(F::kl_div(x, y)), total / 4, 1e-12);
  EXPECT_TRUE(contains(warnings.last(), "'batchmean' divides only by the batch size"));
  EXPECT_NEAR(value_of(F::kl_div(x, (y + 1e-300).log(), {.reduction = "sum", .log_target = true})),
              total, 1e-9);
}

TEST(NllLoss, RejectsWeightsOfAnotherDtype) {
  const Tensor target = zeros({0}, {.dtype = int64});
  EXPECT_THROW(F::nll_loss(zeros({0, 2}), target, {.weight = ones({2}, {.dtype = float16})}),
               DTypeError);
}

TEST(GaussianNLLLoss, RejectsInvalidVariances) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::gaussian_nll_loss(x, x, x - 1); }),
                       "var has negative entry/entries"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::gaussian_nll_loss(x, x, zeros({3})); }),
                       "var is of incorrect size"));
  EXPECT_TRUE(allclose(F::gaussian_nll_loss(x, x + 1, 2.0),
                       F::gaussian_nll_loss(x, x + 1, full({2}, 2.0))));
}

// PyTorch computes exp(-target * input), which overflows for these inputs, and NaN as the gradient.
TEST(SoftMarginLoss, DoesNotOverflow) {
  const Tensor x = variable({-1000.0, 1000.0});
  const Tensor loss = F::soft_margin_loss(x, doubles({1.0, 1.0}), {.reduction = "none"});
  EXPECT_TRUE(equal(loss, doubles({1000.0, 0.0})));
  EXPECT_TRUE(equal(grad_of(loss.sum(), x), doubles({-1.0, 0.0})));
}

TEST(MultilabelMarginLoss, CountsLabelsBeforeFirstMinusOne) {
  const Tensor x = variable({{0.1, 0.2, 0.4, 0.8}});
  const Tensor loss = F::multilabel_margin_loss(x, tensor({{3, 0, -1, 1}}));
  EXPECT_NEAR(
      value_of(loss),
      0.25 * ((1 - (0.8 - 0.2)) + (1 - (0.8 - 0.4)) + (1 - (0.1 - 0.2)) + (1 - (0.1 - 0.4))),
      1e-12);
  EXPECT_TRUE(equal(grad_of(loss, x), doubles({{-0.5, 0.5, 0.5, -0.5}})));
  EXPECT_TRUE(contains(error_text<IndexError>([&] {
                         F::multilabel_margin_loss(x, tensor({{4, 0, -1, 1}}));
                       }),
                       "target is out of range: got 4"));
}

TEST(MultiMarginLoss, RejectsInvalidArguments) {
  const Tensor x = zeros({2, 3}), y = tensor({0, 3});
  EXPECT_TRUE(
      contains(error_text<IndexError>([&] { F::multi_margin_loss(x, y); }), "target out of range"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::multi_margin_loss(x, y, {.p = 3}); }),
                       "only p == 1 and p == 2 supported"));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { F::multi_margin_loss(x, tensor({0})); }),
                       "Expected target size [2]"));
}

TEST(TripletMarginWithDistanceLoss, CallsFunctionOrModule) {
  const Tensor a = doubles({{0.0, 0.0}}), p = doubles({{3.0, 4.0}}), n = doubles({{1.0, 1.0}});
  const nn::TripletMarginWithDistanceLoss by_function(
      {.distance_function = [](const Tensor& x, const Tensor& y) {
        return (x - y).abs().amax(-1);
      }});
  EXPECT_EQ(value_of(by_function(a, p, n)), 4);
  EXPECT_EQ(by_function.str(), "TripletMarginWithDistanceLoss()");
  const nn::TripletMarginWithDistanceLoss by_module(
      {.distance_module =
           std::make_shared<nn::PairwiseDistance>(nn::PairwiseDistanceOptions{.p = 1, .eps = 0})});
  EXPECT_EQ(value_of(by_module(a, p, n)), 6);
  EXPECT_TRUE(contains(error_text<NotImplementedError>([&] { (void)nn::describe(by_function); }),
                       "cannot be described"));
  EXPECT_TRUE(
      contains(error_text<ValueError>([] { nn::TripletMarginWithDistanceLoss({.margin = 0}); }),
               "expected margin to be greater than 0"));
}

TEST(CtcLoss, SumsAlignments) {
  const Tensor p = doubles({{0.6, 0.4}, {0.3, 0.7}, {0.5, 0.5}});
  const Tensor x = p.log().requires_grad_(true);
  // The alignments 100, 010, 001, 110, 011 and 111.
  const Tensor loss = F::ctc_loss(x, tensor({1}), tensor(3), tensor(1), {.reduction = "none"});
  EXPECT_EQ(loss.shape(), Shape());
  EXPECT_NEAR(value_of(loss), -std::log(0.85), 1e-12);
  const Tensor g = autograd::grad(loss, x, {.create_graph = true});
  EXPECT_NEAR(value_of(g[1][1]), 0.7 - (0.21 + 0.14 + 0.21 + 0.14) / 0.85, 1e-12);
  EXPECT_THROW((void)autograd::grad((g * g).sum(), x), RuntimeError);
}

TEST(CtcLoss, AcceptsPaddedAndConcatenatedTargets) {
  manual_seed(1);
  const Tensor x = randn({6, 3, 4}).log_softmax(-1);
  const Tensor padded = tensor({{1, 2, 9}, {3, 3, 1}, {7, 7, 7}});
  const Tensor joined = tensor({1, 2, 3, 3, 1});
  for (const char* reduction : {"mean", "sum", "none"})
    EXPECT_TRUE(equal(
        F::ctc_loss(x, padded, {6, 5, 4}, {2, 3, 0}, {.reduction = reduction}),
        F::ctc_loss(x, joined, tensor({6, 5, 4}), tensor({2, 3, 0}), {.reduction = reduction})));
  EXPECT_EQ(value_of(nn::CTCLoss()
                         .call({x, joined, Value::list({6, 5, 4}), Value::list({2, 3, 0})})
                         .as_tensor()),
            value_of(F::ctc_loss(x, padded, {6, 5, 4}, {2, 3, 0})));
}

TEST(CtcLoss, ReplacesInfiniteLosses) {
  const Tensor x = zeros({2, 1, 3}).log_softmax(-1).requires_grad_(true);
  const Tensor y = tensor({{1, 1}});  // requires three steps
  EXPECT_EQ(value_of(F::ctc_loss(x, y, {2}, {2})), std::numeric_limits<double>::infinity());
  const Tensor loss = F::ctc_loss(x, y, {2}, {2}, {.zero_infinity = true});
  EXPECT_EQ(value_of(loss), 0);
  EXPECT_TRUE(equal(grad_of(loss, x), zeros({2, 1, 3})));
}

TEST(CtcLoss, RejectsInvalidArguments) {
  const Tensor x = zeros({4, 2, 3}), y = tensor({{1, 1}, {2, 1}});
  const auto error = [&]<class E>(E*, const Tensor& targets, const Shape& inputs,
                                  const Shape& lengths, std::int64_t blank) {
    return error_text<E>([&] { F::ctc_loss(x, targets, inputs, lengths, {.blank = blank}); });
  };
  ValueError* const value = nullptr;
  ShapeError* const shape = nullptr;
  IndexError* const index = nullptr;
  EXPECT_TRUE(contains(error(value, y, {5, 4}, {2, 2}, 0), "got value 5"));
  EXPECT_TRUE(contains(error(value, y, {4, 4}, {2, 3}, 0), "got value 3"));
  EXPECT_TRUE(contains(error(value, y, {4, -1}, {2, 2}, 0), "got value -1"));
  EXPECT_TRUE(contains(error(value, y, {4, 4}, {2, 2}, 3), "blank must be in label range"));
  EXPECT_TRUE(contains(error(index, y + 1, {4, 4}, {2, 2}, 0), "target 3 is out of bounds"));
  EXPECT_TRUE(contains(error(shape, y, {4}, {2, 2}, 0), "input_lengths must be of size"));
  EXPECT_TRUE(contains(error(shape, tensor({1, 1, 2}), {4, 4}, {2, 2}, 0), "size 4"));
  EXPECT_TRUE(contains(error(value, tensor({1, 1, 2}), {4, 4}, {-1, 4}, 0), "got value -1"));
}

TEST(AdaptiveLogSoftmaxWithLoss, AgreesWithLogProbabilitiesOfAllClasses) {
  manual_seed(2);
  nn::AdaptiveLogSoftmaxWithLoss net(5, 9, {3, 6}, {.div_value = 2});
  const Tensor x = randn({9, 5}), y = arange(9), all = net.log_prob(x);
  EXPECT_TRUE(allclose(all.exp().sum(1), ones({9})));
  const auto [output, loss] = net(x, y);
  EXPECT_TRUE(allclose(output, all.gather(1, y.unsqueeze(1)).squeeze(1)));
  EXPECT_TRUE(allclose(loss, -output.mean()));
  EXPECT_TRUE(equal(net.predict(x * 5), net.log_prob(x * 5).argmax(1)));
  const Tensor before = net.head.weight.detach().clone();
  net.reset_parameters();
  EXPECT_FALSE(equal(before, net.head.weight));
}

TEST(AdaptiveLogSoftmaxWithLoss, RejectsInvalidArguments) {
  for (const Shape& cutoffs : {Shape{}, Shape{3, 3}, Shape{0, 3}, Shape{5}})
    EXPECT_TRUE(
        contains(error_text<ValueError>([&] { nn::AdaptiveLogSoftmaxWithLoss(4, 5, cutoffs); }),
                 "cutoffs should be a sequence"));
  EXPECT_THROW(nn::AdaptiveLogSoftmaxWithLoss(4, 5, {2}, {.div_value = 0}), ValueError);
  nn::AdaptiveLogSoftmaxWithLoss net(4, 5, {2});
  EXPECT_TRUE(contains(error_text<IndexError>([&] {
                         net(zeros({2, 4}), tensor({0, 5}));
                       }),
                       "Target values should be in [0, 4]"));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] {
                         net(zeros({3, 4}), tensor({0, 4}));
                       }),
                       "same size in the batch dimension"));
}

TEST(LinearCrossEntropyLoss, AgreesWithLinearAndCrossEntropy) {
  manual_seed(3);
  nn::LinearCrossEntropyLoss net(4, 3, {.out_features = {2}, .bias = true, .ignore_index = 1});
  const Tensor x = randn({5, 4}), y = tensor({{0, 1}, {1, 2}, {2, 2}, {0, 0}, {1, 0}});
  const Tensor scores = net.linear(x).reshape({5, 3, 2});
  EXPECT_TRUE(allclose(net(x, y), F::cross_entropy(scores, y, {.ignore_index = 1})));
}

TEST(Normalize, DividesByNormOfAtLeastEps) {
  const Tensor x = variable({{3.0, 4.0}, {0.0, 0.0}});
  const Tensor y = F::normalize(x);
  EXPECT_TRUE(allclose(y, doubles({{0.6, 0.8}, {0.0, 0.0}})));
  EXPECT_TRUE(equal(F::normalize(x, 1, 0, {.eps = 10.0}), x / 10));
}

TEST(Pdist, ReturnsDistancesOfPairs) {
  const Tensor x = doubles({{0.0, 0.0}, {3.0, 4.0}, {3.0, 0.0}});
  EXPECT_TRUE(equal(pdist(x), doubles({5.0, 3.0, 4.0})));
  EXPECT_TRUE(equal(pdist(x, 1), doubles({7.0, 3.0, 4.0})));
  EXPECT_EQ(pdist(x.narrow(0, 0, 1)).shape(), Shape({0}));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { pdist(x[0]); }), "only supports 2D"));
}

TEST(Distances, GradientsOfCoincidentPointsAreFiniteTwice) {
  const Tensor points = tensor({{0.f, 0.f}, {1.f, 0.5f}});
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    const Tensor x = zeros({2, 2}, {.requires_grad = true});
    const Tensor distances = cdist(x, points, p).sum() + pdist(x, p).sum();
    const Tensor g = autograd::grad(distances, x, {.create_graph = true});
    const Tensor h = autograd::grad(g.sum(), x);
    EXPECT_TRUE(g.isfinite().all().item<bool>()) << p << ": " << g.str();
    EXPECT_TRUE(h.isfinite().all().item<bool>()) << p << ": " << h.str();
  }
  // PyTorch's: the distance of 0 is constant, the other one curves across its direction.
  const Tensor x = zeros({1, 2}, {.requires_grad = true});
  const Tensor g = autograd::grad(cdist(x, points).sum(), x, {.create_graph = true});
  EXPECT_TRUE(allclose(autograd::grad(g.sum(), x), tensor({{-0.1788854f, 0.3577709f}}), 1e-5));
}

TEST(Distances, NumbersOfNonzeroElementsHaveZeroGradient) {
  const Tensor x = zeros({2, 2}, {.requires_grad = true});
  cdist(x, ones({2, 2}), 0).sum().backward();
  EXPECT_TRUE(equal(x.grad(), zeros({2, 2})));
}

TEST(SmoothL1Loss, LargeBetaAndDistance) {
  // |d| - beta / 2
  const Tensor x = tensor({1e37f, -3e38f}), zero = zeros({2});
  EXPECT_TRUE(allclose(F::smooth_l1_loss(x, zero, {.reduction = "none", .beta = 1000}),
                       tensor({1e37f, 3e38f}), 1e-6, 0));
}

TEST(HuberLoss, WeightedGradientOfInfiniteDistances) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor({inf, 3.f}).set_requires_grad(), weight = tensor({2.f, 0.5f});
  for (const bool create_graph : {false, true}) {
    const Tensor loss = F::huber_loss(x, zeros({2}), {.reduction = "none", .weight = weight});
    EXPECT_TRUE(
        equal(autograd::grad(loss.sum(), x, {.create_graph = create_graph}), tensor({2.f, 0.5f})));
  }
}

}  // namespace
