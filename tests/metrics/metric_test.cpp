// Tests the mechanism that all metrics share: state, reset, merge, forward, copies, failures.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"
#include "taper/metrics/metrics.h"

namespace {

using namespace taper;
using test::error_text;

double value_of(const Tensor& t) { return t.item<double>(); }

TEST(Metric, AccumulatesBatches) {
  metrics::BinaryAccuracy accuracy;
  EXPECT_EQ(value_of(accuracy.compute()), 0);
  accuracy.update(tensor({0.9, 0.2}), tensor({1, 1}));
  EXPECT_EQ(value_of(accuracy.compute()), 0.5);
  accuracy.update(tensor({0.9, 0.2}), tensor({1, 0}));
  EXPECT_EQ(value_of(accuracy.compute()), 0.75);
  EXPECT_EQ(accuracy.update_count(), 2);
  accuracy.reset();
  EXPECT_EQ(value_of(accuracy.compute()), 0);
  EXPECT_EQ(accuracy.update_count(), 0);
}

TEST(Metric, ForwardReturnsTheValueOfTheBatchAndAccumulates) {
  metrics::MeanSquaredError error;
  EXPECT_EQ(value_of(error.forward(tensor({1.0}), tensor({3.0}))), 4);
  EXPECT_EQ(value_of(error.forward(tensor({1.0}), tensor({1.0}))), 0);
  EXPECT_EQ(value_of(error.compute()), 2);
}

TEST(Metric, CopiesHaveTheirOwnState) {
  metrics::CatMetric all;
  all.update(1.0);
  metrics::CatMetric copy = all;
  copy.update(2.0);
  EXPECT_EQ(all.compute().numel(), 1);
  EXPECT_EQ(copy.compute().numel(), 2);
}

TEST(Metric, FailedUpdateLeavesTheStateUnchanged) {
  metrics::MulticlassConfusionMatrix matrix(3);
  matrix.update(tensor({0, 1}), tensor({0, 1}));
  const Tensor before = matrix.compute();
  EXPECT_NE(error_text<ValueError>([&] { matrix.update(tensor({0, 1}), tensor({0, 3})); }), "");
  EXPECT_NE(error_text<ShapeError>([&] { matrix.update(tensor({0}), tensor({0, 1})); }), "");
  EXPECT_TRUE(equal(matrix.compute(), before));
  EXPECT_EQ(matrix.update_count(), 1);

  metrics::IntersectionOverUnion iou;
  const metrics::Objects one{tensor({{0.0, 0, 1, 1}}), tensor({0})};
  EXPECT_NE(error_text([&] { iou.update({one, {one.boxes, tensor({0, 1})}}, {one, one}); }), "");
  EXPECT_EQ(iou.metric_state()["iou_matrix"].size(), 0u);
}

TEST(Metric, FailedForwardLeavesTheStateUnchanged) {
  metrics::R2Score score;
  score.update(tensor({1.0, 2.0}), tensor({1.0, 3.0}));
  const double before = value_of(score.compute());
  EXPECT_NE(error_text([&] { score.forward(tensor({1.0, 2.0}), tensor({1.0})); }), "");
  EXPECT_EQ(value_of(score.compute()), before);
}

TEST(Metric, MergeEqualsUpdatesInOneMetric) {
  const Tensor x = tensor({1.0, 2.0, 4.0, 3.0, 9.0}), y = tensor({1.5, 1.0, 4.0, 5.0, 7.0});
  metrics::PearsonCorrCoef all, first, second;
  all.update(x, y);
  first.update(x[Slice{0, 2}], y[Slice{0, 2}]);
  second.update(x[Slice{2, 5}], y[Slice{2, 5}]);
  first.merge(second);
  EXPECT_NEAR(value_of(first.compute()), value_of(all.compute()), 1e-6);  // rounding of float32
  EXPECT_EQ(first.update_count(), 2);
}

TEST(Metric, MergesAMetricWithoutBatches) {
  metrics::R2Score score, untouched;
  score.update(tensor({{1.0, 2.0}, {2.0, 3.0}}), tensor({{1.0, 2.0}, {3.0, 3.0}}));
  const double before = value_of(score.compute());
  untouched.merge(score);
  score.merge(metrics::R2Score());
  EXPECT_EQ(value_of(score.compute()), before);
  EXPECT_EQ(value_of(untouched.compute()), before);
}

TEST(Metric, RejectsMergingOtherClasses) {
  metrics::BinaryAccuracy accuracy;
  metrics::BinaryRecall recall;
  EXPECT_NE(error_text<TypeError>([&] { accuracy.merge(recall); }), "");
  EXPECT_NE(error_text<ValueError>([&] { accuracy.merge(accuracy); }), "");
}

TEST(Metric, RejectsComputingAListWithoutBatches) {
  EXPECT_NE(error_text<ValueError>([] { metrics::BinaryAUROC().compute(); }), "");
}

TEST(Metric, DoesNotRecordGradients) {
  metrics::MeanSquaredError error;
  Tensor x = tensor({1.0, 2.0});
  x.set_requires_grad();
  error.update(x, tensor({0.0, 0.0}));
  EXPECT_FALSE(error.compute().requires_grad());
}

TEST(MetricCollection, ReturnsADictInOrder) {
  metrics::MetricCollection collection({.prefix = "val_", .postfix = "_x"});
  collection.add("b", metrics::BinaryRecall());
  collection.add("a", metrics::BinaryAccuracy());
  const Value batch = collection.forward(tensor({0.9, 0.1}), tensor({1, 1}));
  EXPECT_EQ(batch.repr(), "{'val_b_x': tensor(0.5000), 'val_a_x': tensor(0.5000)}");
  EXPECT_EQ(collection.compute().repr(), batch.repr());
  EXPECT_NE(error_text<KeyError>([&] { collection.add("a", metrics::BinaryAccuracy()); }), "");
  EXPECT_NE(error_text<KeyError>([&] { static_cast<void>(collection["c"]); }), "");
  EXPECT_EQ(collection["a"].type_name(), "BinaryAccuracy");
  collection.reset();
  EXPECT_EQ(collection["a"].update_count(), 0);
}

TEST(MetricCollection, MergesByName) {
  metrics::MetricCollection a, b, other;
  for (auto* collection : {&a, &b}) collection->add("sum", metrics::SumMetric());
  a.update_values({2.0});
  b.update_values({3.0});
  a.merge(b);
  EXPECT_EQ(a.compute()["sum"].as_tensor().item<double>(), 5);
  EXPECT_NE(error_text<KeyError>([&] { a.merge(other); }), "");
}

TEST(Aggregation, TreatsNaNByStrategy) {
  const Tensor x = tensor({1.0, std::nan(""), 3.0});
  const test::WarningCapture warnings;
  metrics::SumMetric warns, ignores({.nan_strategy = "ignore"}), replaces({.nan_strategy = 10.0});
  warns.update(x);
  ignores.update(x);
  replaces.update(x);
  EXPECT_EQ(value_of(warns.compute()), 4);
  EXPECT_EQ(value_of(ignores.compute()), 4);
  EXPECT_EQ(value_of(replaces.compute()), 14);
  EXPECT_EQ(warnings.count(), 1u);
  metrics::SumMetric rejects({.nan_strategy = "error"});
  EXPECT_NE(error_text<RuntimeError>([&] { rejects.update(x); }), "");
  EXPECT_NE(error_text<ValueError>([] { metrics::NanStrategy("skip"); }), "");
}

TEST(Aggregation, RunningMeanForgetsOldBatches) {
  metrics::RunningMean mean({.window = 2});
  for (const double x : {100.0, 1.0, 3.0}) mean.update(x);
  EXPECT_EQ(value_of(mean.compute()), 2);
}

}  // namespace
