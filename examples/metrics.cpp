// Metrics over batches, collections, merging, curves, object detection, and a metric of one's own.
// examples/python/metrics.py prints the same output.
#include <cstddef>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/metrics/metrics.h>
#include <taper/taper.h>

using namespace taper;

using Batches = std::vector<std::pair<Tensor, Tensor>>;

void evaluate(const Batches& batches) {
  metrics::MulticlassAccuracy accuracy(3, {.average = "micro"});
  for (const auto& [scores, labels] : batches) accuracy.update(scores, labels);
  std::cout << "accuracy " << accuracy.compute() << '\n';
}

void evaluate_several(const Batches& batches) {
  metrics::MetricCollection collection({.prefix = "val_"});
  collection.add("acc", metrics::MulticlassAccuracy(3));
  collection.add("f1", metrics::MulticlassF1Score(3));
  collection.add("matrix", metrics::MulticlassConfusionMatrix(3));
  for (const auto& [scores, labels] : batches) collection.update(scores, labels);
  const Value values = collection.compute();
  for (const auto& [name, value] : values.as_dict()) std::cout << name << ' ' << value << '\n';
  collection.reset();
}

void merge_parts(const Batches& batches) {
  std::vector<metrics::MulticlassF1Score> parts(2, metrics::MulticlassF1Score(3));
  for (std::size_t i = 0; i < batches.size(); ++i)
    parts[i % 2].update(batches[i].first, batches[i].second);
  parts[0].merge(parts[1]);
  std::cout << "merged " << parts[0].compute() << '\n';
}

void curve() {
  metrics::BinaryROC roc({.thresholds = 5});
  roc.update(tensor({0.1, 0.4, 0.35, 0.8}), tensor({0, 0, 1, 1}));
  const Value result = roc.compute();
  std::cout << result[0] << ' ' << result[1] << ' ' << result[2] << '\n';
}

void detection() {
  const Tensor boxes = tensor({{0.0, 0, 10, 10}, {1, 1, 11, 11}, {20, 20, 30, 30}});
  const Tensor scores = tensor({0.9, 0.8, 0.7});
  std::cout << metrics::box_iou(boxes[Slice{.stop = 1}], boxes) << '\n';
  const Tensor keep = metrics::nms(boxes, scores, 0.5);
  metrics::MeanAveragePrecision metric;
  metric.update({{.boxes = boxes[keep], .labels = tensor({1, 1}), .scores = scores[keep]}},
                {{.boxes = boxes[Slice{.stop = 1}], .labels = tensor({1})}});
  std::cout << "map " << metric.compute()["map"] << '\n';
}

// Mean of log(preds / target).
class MeanLogRatio : public metrics::ScoreMetric {
 public:
  MeanLogRatio() {
    add_state("total", tensor(0.0));
    add_state("count", tensor(0));
  }
  std::string_view type_name() const override { return "MeanLogRatio"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override {
    accumulate("total", (preds / target).log().sum());
    accumulate("count", tensor(target.numel()));
  }
  Tensor compute_score() const override { return state("total") / state("count"); }
};

int main() {
  manual_seed(0);
  Batches data;
  for (int i = 0; i < 4; ++i) {
    const Tensor scores = randn({8, 3});
    data.emplace_back(scores, randint(3, {8}));
  }
  evaluate(data);
  evaluate_several(data);
  merge_parts(data);
  curve();
  detection();
  MeanLogRatio ratio;
  ratio.update(tensor({1.0, 2.0}), tensor({2.0, 2.0}));
  std::cout << "mean log ratio " << ratio.compute() << '\n';
}
