#include "taper/metrics/collection.h"

#include <algorithm>

#include "core/check.h"

#include "taper/core/dict.h"

namespace taper::metrics {

void MetricCollection::add(std::string name, std::shared_ptr<Metric> metric) {
  if (!metric) fail<ValueError>("MetricCollection: metric '{}' is null", name);
  for (const auto& [key, value] : metrics_)
    if (key == name) fail<KeyError>("MetricCollection: metric '{}' already exists", name);
  metrics_.emplace_back(std::move(name), std::move(metric));
}

void MetricCollection::update_values(const Values& batch) {
  for (const auto& [name, metric] : metrics_) metric->update_values(batch);
}

Value MetricCollection::compute() const {
  Value result = Value::dict();
  for (const auto& [name, metric] : metrics_)
    result.as_dict().set(full_name(name), metric->compute_value());
  return result;
}

Value MetricCollection::forward(const Tensor& preds, const Tensor& target) {
  Value result = Value::dict();
  for (const auto& [name, metric] : metrics_)
    result.as_dict().set(full_name(name), metric->forward_values({preds, target}));
  return result;
}

void MetricCollection::reset() {
  for (const auto& [name, metric] : metrics_) metric->reset();
}

void MetricCollection::merge(const MetricCollection& other) {
  const auto has_same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::equal(metrics_.begin(), metrics_.end(), other.metrics_.begin(), other.metrics_.end(),
                  has_same_name))
    fail<KeyError>("MetricCollection: cannot merge collections whose names differ");
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    metrics_[i].second->merge(*other.metrics_[i].second);
}

Metric& MetricCollection::operator[](std::string_view name) const {
  for (const auto& [key, metric] : metrics_)
    if (key == name) return *metric;
  fail<KeyError>("MetricCollection: no metric '{}'", name);
}

}  // namespace taper::metrics
