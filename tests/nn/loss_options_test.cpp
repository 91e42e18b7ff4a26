// Losses and distances by options and by position, and those of taper::, which take a Reduction.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/taper.h"

namespace {

using namespace taper;
using taper::test::contains, taper::test::error_text;

struct LossOptions : testing::Test {
  LossOptions() { manual_seed(11); }
  Tensor x = rand({4, 3}), y = rand({4, 3}), z = rand({4, 3}), sign = tensor({1, -1, -1, 1});
};

TEST_F(LossOptions, AcceptAbsentAndPresentWeights) {
  const Tensor plain = F::mse_loss(x, y), undefined;
  const std::optional<Tensor> no_tensor;
  const std::optional<nn::Parameter> no_parameter;
  for (const F::MSELossFuncOptions& options :
       {F::MSELossFuncOptions{.weight = {}}, F::MSELossFuncOptions{.weight = std::nullopt},
        F::MSELossFuncOptions{.weight = undefined}, F::MSELossFuncOptions{.weight = no_tensor},
        F::MSELossFuncOptions{.weight = no_parameter}})
    EXPECT_TRUE(equal(F::mse_loss(x, y, options), plain));
  EXPECT_TRUE(equal(F::mse_loss(x, y, {}), plain));

  const Tensor weighted = ((x - y).square() * z).sum();
  EXPECT_TRUE(allclose(F::mse_loss(x, y, {.reduction = "sum", .weight = z}), weighted));
  const std::optional<nn::Parameter> parameter(z);
  EXPECT_TRUE(allclose(F::mse_loss(x, y, {.reduction = "sum", .weight = parameter}), weighted));
  EXPECT_TRUE(allclose(F::mse_loss(x, y, {.weight = z}), weighted / z.sum()));
  EXPECT_EQ(nn::BCELoss({.weight = {}}).weight.has_value(), false);
}

TEST_F(LossOptions, AreThoseOfTheFunctionsWithIntegers) {
  for (const auto& [name, reduction] :
       {std::pair{"none", Reduction::None}, {"mean", Reduction::Mean}, {"sum", Reduction::Sum}}) {
    EXPECT_TRUE(equal(F::binary_cross_entropy_with_logits(
                          x, y, {.weight = z, .reduction = name, .pos_weight = z}),
                      binary_cross_entropy_with_logits(x, y, z, z, reduction)));
    EXPECT_TRUE(equal(F::poisson_nll_loss(
                          x, y, {.log_input = false, .full = true, .eps = 0.1, .reduction = name}),
                      poisson_nll_loss(x, y, false, true, 0.1, reduction)));
    EXPECT_TRUE(
        equal(F::hinge_embedding_loss(x, sign.unsqueeze(1), {.margin = 2, .reduction = name}),
              hinge_embedding_loss(x, sign.unsqueeze(1), 2, reduction)));
    EXPECT_TRUE(
        equal(F::margin_ranking_loss(x, y, sign.unsqueeze(1), {.margin = 0.5, .reduction = name}),
              margin_ranking_loss(x, y, sign.unsqueeze(1), 0.5, reduction)));
    EXPECT_TRUE(equal(F::cosine_embedding_loss(x, y, sign, {.margin = 0.5, .reduction = name}),
                      cosine_embedding_loss(x, y, sign, 0.5, reduction)));
    EXPECT_TRUE(
        equal(F::triplet_margin_loss(
                  x, y, z, {.margin = 2, .p = 1, .eps = 0.1, .swap = true, .reduction = name}),
              triplet_margin_loss(x, y, z, 2, 1, 0.1, true, reduction)));
    const Tensor log_probs = rand({5, 2, 3}).log_softmax(-1), labels = tensor({{1, 2}, {2, 2}});
    EXPECT_TRUE(equal(
        F::ctc_loss(log_probs, labels, {5, 2}, {2, 2}, {.reduction = name, .zero_infinity = true}),
        ctc_loss(log_probs, labels, {5, 2}, {2, 2}, 0, reduction, true)));
  }
  EXPECT_TRUE(equal(F::kl_div(x, y, {.reduction = "sum", .log_target = true}),
                    kl_div(x, y, Reduction::Sum, true)));
  EXPECT_TRUE(equal(kl_div(x, y), kl_div(x, y, 1)));
}

// PyTorch treats other integers as "none".
TEST_F(LossOptions, RejectUnknownReductions) {
  for (const std::int64_t reduction : {-1, 3})
    EXPECT_TRUE(
        contains(error_text<ValueError>([&] { kl_div(x, y, reduction); }),
                 "kl_div: " + std::to_string(reduction) + " is not a valid value for reduction"));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { F::kl_div(x, y, {.reduction = "best"}); }),
                       "kl_div: best is not a valid value for reduction"));
  EXPECT_TRUE(contains(
      error_text<ValueError>([&] { F::triplet_margin_loss(x, y, z, {.reduction = "best"}); }),
      "triplet_margin_loss: best is not a valid value for reduction"));
}

TEST_F(LossOptions, ContainMarginsAndExponents) {
  const Tensor labels = tensor({0, 2, 1, 0}), weight = tensor({1.0, 2.0, 3.0});
  const nn::MultiMarginLoss layer({.p = 2, .margin = 0.5, .weight = weight, .reduction = "sum"});
  EXPECT_TRUE(equal(layer(x, labels),
                    F::multi_margin_loss(
                        x, labels, {.p = 2, .margin = 0.5, .weight = weight, .reduction = "sum"})));
  const auto distance = [](const Tensor& a, const Tensor& b) {
    return F::pairwise_distance(a, b, 1);
  };
  EXPECT_TRUE(equal(
      F::triplet_margin_with_distance_loss(x, y, z, {.distance_function = distance, .margin = 2}),
      F::triplet_margin_loss(x, y, z, {.margin = 2, .p = 1})));
  EXPECT_TRUE(equal(F::gaussian_nll_loss(x, y, 2, {.full = true}),
                    F::gaussian_nll_loss(x, y, full({4, 3}, 2.0), {.full = true})));
}

TEST_F(LossOptions, OfDistancesMayBeGivenByPosition) {
  EXPECT_TRUE(equal(F::cosine_similarity(x, y), F::cosine_similarity(x, y, {})));
  EXPECT_TRUE(equal(F::cosine_similarity(x, y, 0), F::cosine_similarity(x, y, {.dim = 0})));
  EXPECT_TRUE(equal(cosine_similarity(x, y, -1, 2), cosine_similarity(x, y, {.eps = 2})));
  EXPECT_TRUE(equal(F::pairwise_distance(x, y), F::pairwise_distance(x, y, {})));
  EXPECT_TRUE(equal(pairwise_distance(x, y, 1, 0.1, true),
                    pairwise_distance(x, y, {.p = 1, .eps = 0.1, .keepdim = true})));
  EXPECT_TRUE(equal(F::pdist(x, 3), F::pdist(x, {.p = 3})));
  EXPECT_TRUE(equal(F::pdist(x), F::pdist(x, {})));

  const Tensor weight = rand({2, 3, 3}), bias = rand({2}), plain = F::bilinear(x, y, weight);
  const std::optional<nn::Parameter> absent;
  EXPECT_TRUE(equal(F::bilinear(x, y, weight, bias), plain + bias));
  EXPECT_TRUE(equal(F::bilinear(x, y, weight, {.bias = bias}), plain + bias));
  EXPECT_TRUE(equal(F::bilinear(x, y, weight, {}), plain));
  EXPECT_TRUE(equal(F::bilinear(x, y, weight, absent), plain));
  EXPECT_TRUE(equal(F::bilinear(x, y, weight, Tensor()), plain));
}

TEST_F(LossOptions, ContainWeightsThatAutocastCasts) {
  const Tensor labels = tensor({0, 2, 1, 0}), weight = tensor({1.0, 2.0, 3.0});
  const auto half = [](const Tensor& t) { return t.to(bfloat16); };
  const Tensor expected = F::cross_entropy(half(x).to(float32), labels, {.weight = weight});
  const amp::Autocast autocast({.dtype = bfloat16});
  EXPECT_TRUE(equal(F::cross_entropy(half(x), labels, {.weight = half(weight)}), expected));
  EXPECT_EQ(F::mse_loss(half(x), half(y), {.weight = half(z)}).dtype(), float32);
  EXPECT_EQ(F::huber_loss(half(x), half(y), {.weight = half(z)}).dtype(), float32);
}

}  // namespace
