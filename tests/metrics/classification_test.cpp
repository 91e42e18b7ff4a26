// Tests options, edge cases and errors of the metrics of classification. Values of all options are
// compared with torchmetrics by tests/oracle.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"
#include "taper/metrics/metrics.h"

namespace {

using namespace taper;
using test::error_text;

TEST(StatScores, CountsBinaryPredictions) {
  metrics::BinaryStatScores scores;
  scores.update(tensor({1, 1, 0, 0, 1}), tensor({1, 0, 0, 1, 1}));
  EXPECT_TRUE(equal(scores.compute(), tensor({2, 1, 1, 1, 3})));
}

TEST(StatScores, AppliesSigmoidToLogits) {
  metrics::BinaryAccuracy accuracy;
  accuracy.update(tensor({-3.0, 0.4}), tensor({0, 1}));  // 0.4 is a logit beside -3
  EXPECT_EQ(accuracy.compute().item<double>(), 1);
}

TEST(StatScores, IgnoresTargets) {
  metrics::MulticlassAccuracy accuracy(3, {.average = "micro", .ignore_index = -100});
  accuracy.update(tensor({0, 1, 2}), tensor({0, -100, 1}));
  EXPECT_EQ(accuracy.compute().item<double>(), 0.5);
  accuracy.update(tensor({0}), tensor({-100}));
  EXPECT_EQ(accuracy.compute().item<double>(), 0.5);
}

TEST(StatScores, AcceptsTheTargetAmongTheBestScores) {
  const Tensor scores = tensor({{0.5, 0.3, 0.2}, {0.1, 0.2, 0.7}});
  metrics::MulticlassAccuracy best(3, {.average = "micro"}),
      two(3, {.top_k = 2, .average = "micro"});
  best.update(scores, tensor({1, 0}));
  two.update(scores, tensor({1, 0}));
  EXPECT_EQ(best.compute().item<double>(), 0);
  EXPECT_EQ(two.compute().item<double>(), 0.5);
}

TEST(StatScores, ReturnsOneValuePerSample) {
  metrics::BinaryAccuracy accuracy({.multidim_average = "samplewise"});
  accuracy.update(tensor({{1, 0}, {1, 1}}), tensor({{1, 1}, {1, 1}}));
  accuracy.update(tensor({{0, 0}}), tensor({{1, 1}}));
  EXPECT_TRUE(equal(accuracy.compute(), tensor({0.5, 1.0, 0.0})));
}

TEST(StatScores, RejectsInvalidOptions) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { BinaryAccuracy({.threshold = 1.5}); }), "");
  EXPECT_NE(error_text<ValueError>([] { MulticlassAccuracy(1); }), "");
  EXPECT_NE(error_text<ValueError>([] { MulticlassAccuracy(3, {.top_k = 4}); }), "");
  EXPECT_NE(error_text<ValueError>([] { MulticlassRecall(3, {.zero_division = 0.5}); }), "");
  EXPECT_NE(error_text<ValueError>([] { BinaryFBetaScore(-1.0); }), "");
  EXPECT_EQ(error_text<ValueError>([] { MulticlassRecall(3, {.average = "median"}); }),
            "MulticlassRecall: invalid average: got 'median', expected one of 'micro', 'macro', "
            "'weighted', 'none'");
}

TEST(StatScores, RejectsInvalidInputs) {
  metrics::BinaryAccuracy binary;
  EXPECT_NE(error_text<ShapeError>([&] { binary.update(zeros({3}), zeros({4})); }), "");
  EXPECT_EQ(error_text<ValueError>([&] {
              binary.update(zeros({2}), tensor({0, 2}));
            }),
            "BinaryAccuracy: target contains 2, expected 0 and 1");
  metrics::MulticlassAccuracy multiclass(3);
  EXPECT_NE(error_text<ShapeError>([&] { multiclass.update(zeros({2, 4}), tensor({0, 1})); }), "");
  EXPECT_NE(error_text<ValueError>([&] { multiclass.update(tensor({0, 5}), tensor({0, 1})); }), "");
  metrics::MulticlassAccuracy top2(3, {.top_k = 2});
  EXPECT_NE(error_text<ShapeError>([&] { top2.update(tensor({0, 1}), tensor({0, 1})); }), "");
  metrics::MultilabelAccuracy multilabel(3);
  EXPECT_NE(error_text<ShapeError>([&] { multilabel.update(zeros({3}), zeros({3})); }), "");
}

TEST(StatScores, EmptyInput) {
  metrics::MulticlassAccuracy multiclass(3);
  multiclass.update(zeros({0, 3}), zeros({0}, {.dtype = DType::i64}));
  EXPECT_EQ(multiclass.compute().item<double>(), 0);
  metrics::MultilabelExactMatch exact(3);
  exact.update(zeros({0, 3}), zeros({0, 3}, {.dtype = DType::i64}));
  EXPECT_EQ(exact.compute().item<double>(), 0);
}

TEST(ConfusionMatrix, HasTargetsInRows) {
  metrics::MulticlassConfusionMatrix matrix(3);
  matrix.update(tensor({2, 2, 0}), tensor({0, 2, 0}));
  EXPECT_TRUE(equal(matrix.compute(), tensor({{1, 0, 1}, {0, 0, 0}, {0, 0, 1}})));
}

TEST(ConfusionMatrix, ReplacesEmptyRowsByZeros) {
  const test::WarningCapture warnings;
  metrics::MulticlassConfusionMatrix matrix(2, {.normalize = "true"});
  matrix.update(tensor({0, 0}), tensor({1, 1}));
  EXPECT_TRUE(equal(matrix.compute(), tensor({{0.0, 0.0}, {1.0, 0.0}})));
  EXPECT_EQ(warnings.count(), 1u);
}

TEST(Curve, HasTheLastOfEqualScores) {
  metrics::BinaryROC roc;
  roc.update(tensor({0.5, 0.5, 0.75}), tensor({0, 1, 1}));
  const Value curve = roc.compute();
  EXPECT_TRUE(equal(curve[0].as_tensor(), tensor({0.0, 0.0, 1.0})));
  EXPECT_TRUE(equal(curve[1].as_tensor(), tensor({0.0, 0.5, 1.0})));
  EXPECT_TRUE(equal(curve[2].as_tensor(), tensor({1.0, 0.75, 0.5})));
}

TEST(Curve, BinnedEqualsExactAtItsThresholds) {
  const Tensor scores = tensor({0.25, 0.5, 0.75, 1.0}), target = tensor({0, 1, 0, 1});
  metrics::BinaryAUROC exact, binned({.thresholds = {0.0, 0.25, 0.5, 0.75, 1.0}});
  exact.update(scores, target);
  binned.update(scores, target);
  EXPECT_EQ(exact.compute().item<double>(), 0.75);
  EXPECT_EQ(binned.compute().item<double>(), 0.75);
}

TEST(Curve, RejectsInvalidOptionsAndInputs) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { BinaryAUROC({.thresholds = 1}); }), "");
  EXPECT_NE(error_text<ValueError>([] { BinaryAUROC({.thresholds = {0.5, 2.0}}); }), "");
  EXPECT_NE(error_text<ValueError>([] { BinaryAUROC({.max_fpr = 0.0}); }), "");
  EXPECT_NE(error_text<ValueError>([] { MulticlassAUROC(3, {.average = "micro"}); }), "");
  BinaryROC roc;
  EXPECT_NE(error_text<DTypeError>([&] { roc.update(tensor({0, 1}), tensor({0, 1})); }), "");
  EXPECT_NE(error_text<DTypeError>([&] { roc.update(zeros({2}), zeros({2})); }), "");
  roc.update(zeros({0}), zeros({0}, {.dtype = DType::i64}));
  EXPECT_NE(error_text<ValueError>([&] { roc.compute(); }), "");
}

TEST(CalibrationError, RejectsInvalidOptions) {
  using namespace metrics;
  EXPECT_NE(error_text<ValueError>([] { BinaryCalibrationError({.n_bins = 0}); }), "");
  EXPECT_NE(error_text<ValueError>([] { BinaryCalibrationError({.norm = "l3"}); }), "");
}

}  // namespace
