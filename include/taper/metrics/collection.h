// MetricCollection: metrics that receive the same batches.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of MetricCollection.
struct MetricCollectionOptions {
  std::string prefix{};   ///< is prepended to the names of the values
  std::string postfix{};  ///< is appended to the names of the values
};

/// Metrics by name that receive the same batches. PyTorch: torchmetrics.MetricCollection.
///
///     metrics::MetricCollection scores({.prefix = "val_"});
///     scores.add("acc", metrics::MulticlassAccuracy(10));
///     scores.add("f1", metrics::MulticlassF1Score(10));
///     scores.update(net(image), label);
///     std::cout << scores.compute() << '\n';
class MetricCollection {
 public:
  explicit MetricCollection(MetricCollectionOptions options = {}) : options_(std::move(options)) {}

  /// Adds a metric. Throws KeyError if the name exists.
  template <std::derived_from<Metric> M> void add(std::string name, M metric) {
    add(std::move(name), std::make_shared<M>(std::move(metric)));
  }
  /// Adds a metric that is shared. Throws KeyError if the name exists, ValueError if it is null.
  void add(std::string name, std::shared_ptr<Metric> metric);
  /// Adds a batch of predictions and targets to all metrics. If one throws, those before it have
  /// the batch.
  void update(const Tensor& preds, const Tensor& target) { update_values({preds, target}); }
  /// As `update`, of positional arguments.
  void update_values(const Values& batch);
  /// Returns a dict of the values of all metrics, in the order of insertion.
  Value compute() const;
  /// Adds a batch and returns a dict of the values of this batch alone.
  Value forward(const Tensor& preds, const Tensor& target);
  void reset();
  /// Merges metrics of the same name. Throws KeyError if the names differ, and the errors of
  /// Metric::merge.
  void merge(const MetricCollection& other);

  std::size_t size() const { return metrics_.size(); }
  /// Returns the metric with this name, without prefix. Throws KeyError if it does not exist.
  Metric& operator[](std::string_view name) const;

 private:
  std::string full_name(const std::string& name) const {
    return options_.prefix + name + options_.postfix;
  }
  MetricCollectionOptions options_;
  std::vector<std::pair<std::string, std::shared_ptr<Metric>>> metrics_;
};

}  // namespace metrics
}  // namespace taper
