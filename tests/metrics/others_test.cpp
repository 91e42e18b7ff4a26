// Tests edge cases and errors of the metrics of regression, texts, detection and segmentation.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"
#include "taper/metrics/metrics.h"

namespace {

using namespace taper;
using test::error_text;

TEST(Regression, ReturnsOneValuePerOutput) {
  metrics::MeanAbsoluteError error({.num_outputs = 2});
  error.update(tensor({{1.0, 2.0}, {3.0, 4.0}}), tensor({{1.0, 0.0}, {1.0, 4.0}}));
  EXPECT_TRUE(equal(error.compute(), tensor({1.0, 1.0})));
  EXPECT_NE(error_text<ShapeError>([&] { error.update(zeros({2, 3}), zeros({2, 3})); }), "");
}

TEST(Regression, CorrelationOfAConstantIsNaN) {
  const test::WarningCapture warnings;
  metrics::PearsonCorrCoef pearson;
  pearson.update(ones({4}), tensor({1.0, 2.0, 3.0, 4.0}));
  EXPECT_TRUE(std::isnan(pearson.compute().item<double>()));
  EXPECT_EQ(warnings.count(), 1u);
}

TEST(Regression, AcceptsIntegersWhoseDifferencesLeaveTheirType) {
  const Tensor preds = tensor({1, 4, 2}), target = tensor({3, 4, 1});
  const auto expect_score = [&](auto make, double expected) {
    for (const DType dtype : {uint8, int8, int64, float32}) {
      auto metric = make();
      metric.update(preds.to(dtype), target.to(dtype));
      EXPECT_NEAR(metric.compute().template item<double>(), expected, 1e-6) << name_of(dtype);
    }
  };
  expect_score([] { return metrics::MeanAbsoluteError(); }, 1);
  expect_score([] { return metrics::MeanSquaredError(); }, 5.0 / 3);
  expect_score([] { return metrics::MeanAbsolutePercentageError(); }, 5.0 / 9);
  expect_score([] { return metrics::ExplainedVariance(); }, 0);
  expect_score([] { return metrics::R2Score(); }, -1.0 / 14);
  expect_score([] { return metrics::PearsonCorrCoef(); }, 0.5);
}

TEST(Regression, KendallReturnsThePValue) {
  metrics::KendallRankCorrCoef kendall({.t_test = true});
  kendall.update(tensor({2.0, 9.0, 10.0, 3.0}), tensor({1.0, 2.0, 3.0, 4.0}));
  const Value result = kendall.compute();
  EXPECT_NEAR(result[0].as_tensor().item<double>(), 1.0 / 3, 1e-6);  // float32
  EXPECT_NEAR(result[1].as_tensor().item<double>(), 0.4969, 1e-4);   // scipy, asymptotic method
}

TEST(Regression, RejectsInvalidArguments) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { MinkowskiDistance(0.5); }), "");
  EXPECT_NE(error_text<ValueError>([] { TweedieDevianceScore(0.5); }), "");
  EXPECT_NE(error_text<ValueError>([] { R2Score({.multioutput = "mean"}); }), "");
  TweedieDevianceScore poisson(1.0);
  EXPECT_NE(error_text<ValueError>([&] { poisson.update(zeros({2}), ones({2})); }), "");
  R2Score score;
  score.update(zeros({1}), zeros({1}));
  EXPECT_NE(error_text<ValueError>([&] { score.compute(); }), "");
}

TEST(Text, CountsCodePointsAndSplitsAtUnicodeSpaces) {
  metrics::CharErrorRate characters;
  characters.update("na\u00efve", "naive");
  EXPECT_NEAR(characters.compute().item<double>(), 0.2, 1e-6);  // float32
  metrics::WordErrorRate words;
  words.update("a\u3000b c", "a b  c");
  EXPECT_EQ(words.compute().item<double>(), 0);
}

TEST(Text, SeparatesPunctuationExceptInNumbers) {
  // With the tokenizer "13a": The | cat | , | 3.5 | ! against the same words in the reference.
  metrics::SacreBLEUScore score({.n_gram = 1});
  score.update({"The cat, 3.5!"}, {{"The cat , 3.5 !"}});
  EXPECT_EQ(score.compute().item<double>(), 1);
}

TEST(Text, RejectsInvalidArguments) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { BLEUScore({.n_gram = 2, .weights = {1.0}}); }), "");
  EXPECT_NE(error_text<ValueError>([] { SacreBLEUScore({.tokenize = "intl"}); }), "");
  WordErrorRate rate;
  EXPECT_NE(error_text<ValueError>([&] {
              rate.update({"a", "b"}, std::vector<std::string>{"a"});
            }),
            "");
  BLEUScore bleu;
  EXPECT_NE(error_text<ValueError>([&] { bleu.update({"a"}, {{}}); }), "");
  Perplexity perplexity;
  EXPECT_NE(error_text<ValueError>([&] {
              perplexity.update(zeros({1, 2, 3}), full({1, 2}, 3));
            }),
            "");
}

TEST(Boxes, ConvertsBetweenFormats) {
  const Tensor corners = tensor({{1.0, 2.0, 5.0, 8.0}});
  EXPECT_TRUE(
      equal(metrics::box_convert(corners, "xyxy", "cxcywh"), tensor({{3.0, 5.0, 4.0, 6.0}})));
  for (const char* format : {"xywh", "cxcywh"}) {
    const Tensor there = metrics::box_convert(corners, "xyxy", format);
    EXPECT_TRUE(equal(metrics::box_convert(there, format, "xyxy"), corners)) << format;
    EXPECT_EQ(metrics::box_area(there, format).item<double>(), 24);
    EXPECT_EQ(metrics::box_iou(there, there, format).item<double>(), 1);
  }
  EXPECT_NE(error_text<ValueError>([&] { metrics::box_convert(corners, "xyxy", "yxyx"); }), "");
  EXPECT_NE(error_text<ShapeError>([&] { metrics::box_area(zeros({2, 3})); }), "");
}

TEST(Boxes, SuppressesByCategory) {
  const Tensor boxes = tensor({{0.0, 0.0, 10.0, 10.0}, {1.0, 1.0, 10.0, 10.0}});
  const Tensor scores = tensor({0.5, 0.75});
  EXPECT_TRUE(equal(metrics::nms(boxes, scores, 0.5), tensor({1})));
  EXPECT_TRUE(equal(metrics::batched_nms(boxes, scores, tensor({0, 1}), 0.5), tensor({1, 0})));
  EXPECT_EQ(metrics::nms(zeros({0, 4}), zeros({0}), 0.5).numel(), 0);
  EXPECT_NE(error_text<ShapeError>([&] { metrics::nms(boxes, zeros({3}), 0.5); }), "");
}

TEST(Detection, AveragesNothingToMinusOne) {
  metrics::MeanAveragePrecision map;
  const Value untouched = map.compute();
  EXPECT_EQ(untouched["map"].as_tensor().item<double>(), -1);
  EXPECT_FALSE(untouched.contains("map_per_class"));
  EXPECT_EQ(untouched["classes"].as_tensor().numel(), 0);
}

TEST(Detection, RejectsInvalidArguments) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { MeanAveragePrecision({.box_format = "yxyx"}); }), "");
  EXPECT_NE(error_text<ValueError>([] {
              MeanAveragePrecision({.max_detection_thresholds = {1, 10}});
            }),
            "");
  MeanAveragePrecision map;
  const Objects object{ones({1, 4}), tensor({1})};
  EXPECT_EQ(error_text<ValueError>([&] { map.update({object}, {object}); }),
            "MeanAveragePrecision: an image of preds does not have the tensor 'scores'");
  EXPECT_NE(error_text<ValueError>([&] { map.update({}, {object}); }), "");
}

TEST(Segmentation, ExcludesTheBackground) {
  metrics::MeanIoU with(2, {.input_format = "index"});
  metrics::MeanIoU without(2, {.include_background = false, .input_format = "index"});
  const Tensor preds = tensor({{{0, 1}, {1, 1}}}), target = tensor({{{0, 0}, {1, 1}}});
  with.update(preds, target);
  without.update(preds, target);
  EXPECT_NEAR(with.compute().item<double>(), (0.5 + 2.0 / 3) / 2, 1e-6);  // float32
  EXPECT_NEAR(without.compute().item<double>(), 2.0 / 3, 1e-6);
  EXPECT_NE(error_text<ValueError>([&] { with.update(preds * 2, target); }), "");
}

TEST(Segmentation, AcceptsScoresBesideLabels) {
  metrics::DiceScore dice(2, {.input_format = "mixed"});
  dice.update(tensor({{{{0.9, 0.2}}, {{0.1, 0.8}}}}), tensor({{{0, 1}}}));
  EXPECT_EQ(dice.compute().item<double>(), 1);
}

TEST(Segmentation, AcceptsFloatingPointMasksOfOneClass) {
  const Tensor preds = tensor({{{{1, 1}, {0, 0}}}}), target = tensor({{{{1, 0}, {0, 0}}}});
  for (const DType dtype : {DType::i64, DType::bool_, DType::f32}) {
    metrics::DiceScore dice(1);
    metrics::GeneralizedDiceScore generalized(1);
    metrics::MeanIoU iou(1);
    dice.update(preds.to(dtype), target.to(dtype));
    generalized.update(preds.to(dtype), target.to(dtype));
    iou.update(preds.to(dtype), target.to(dtype));
    EXPECT_NEAR(dice.compute().item<double>(), 2.0 / 3, 1e-6);  // float32
    EXPECT_NEAR(generalized.compute().item<double>(), 2.0 / 3, 1e-6);
    EXPECT_NEAR(iou.compute().item<double>(), 0.5, 1e-6);
  }
}

TEST(Segmentation, RejectsMasksThatScoresDoNotDescribe) {
  metrics::DiceScore one(1), two(2);
  const Tensor probability = tensor({{{{0.9, 0.6}}}}), mask = tensor({{{{1, 0}}}});
  const auto error_of = [](metrics::DiceScore& dice, const Tensor& preds, const Tensor& target) {
    return error_text<ValueError>([&] { dice.update(preds, target); });
  };
  EXPECT_EQ(error_of(one, probability, mask),
            "DiceScore: a score of one class does not select a class: compare it with a "
            "threshold, as in preds > 0.5");
  EXPECT_EQ(error_of(one, mask * 255, mask), "DiceScore: masks must contain 0 and 1 only, got 255");
  const Tensor overlapping = tensor({{{{1, 0}}, {{1, 1}}}});
  EXPECT_EQ(error_of(two, overlapping.to(float32), overlapping),
            "DiceScore: floating-point masks are scores, of which the largest selects the class, "
            "but got 0 and 1 with several classes or none at one position: convert such masks to "
            "bool");
  two.update(overlapping.to(bool_), overlapping);
  EXPECT_EQ(two.compute().item<double>(), 1);
  EXPECT_NE(error_text<ShapeError>([&] {
              two.update(ones({1, 3, 1, 1}), ones({1, 3, 1, 1}));
            }),
            "");
}

}  // namespace
