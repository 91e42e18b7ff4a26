// Metric: state that batches update and from which a value is computed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace metrics {

/// How a state of several processes, or of several parts of the data, is combined.
/// PyTorch: the argument `dist_reduce_fx` of torchmetrics.Metric.add_state.
enum class Reduction : std::uint8_t {
  sum,
  max,
  min,
  cat,     ///< list of tensors, which are concatenated
  last,    ///< the value of the merged metric replaces that of this one
  custom,  ///< by Metric::merge_states
};

/// Base class of all metrics. A metric is a value: a copy has its own state. Updates and
/// computations are not recorded for differentiation. PyTorch: torchmetrics.Metric.
///
///     metrics::MulticlassAccuracy accuracy(10);
///     for (auto& [image, label] : loader) accuracy.update(net(image), label);
///     std::cout << accuracy.compute() << '\n';
///
/// A derived class declares its state by `add_state` in the constructor, and defines `update_state`
/// and `compute_state`.
class Metric {
 public:
  virtual ~Metric() = default;

  /// Returns the name of the class: "MulticlassAccuracy".
  virtual std::string_view type_name() const = 0;
  /// Adds a batch, given as positional arguments of the typed `update` of the class. If it throws,
  /// the state is unchanged. PyTorch: torchmetrics.Metric.update.
  void update_values(const Values& batch);
  /// Returns the value of all batches since the last reset. Tensors with one element are
  /// 0-dimensional. Throws ValueError if the metric stores the batches and there are none.
  /// PyTorch: torchmetrics.Metric.compute.
  Value compute_value() const;
  /// Adds a batch and returns the value of this batch alone. PyTorch: torchmetrics.Metric.forward.
  Value forward_values(const Values& batch);
  /// Restores the initial state. PyTorch: torchmetrics.Metric.reset.
  void reset();
  /// Adds the state of `other`, as if its batches followed those of this metric. Used for the parts
  /// of several threads or processes. Throws TypeError if `other` is of another class, ShapeError
  /// if its state has other shapes. PyTorch: the reduction of torchmetrics.Metric.sync.
  void merge(const Metric& other);
  /// Returns the number of batches since the last reset.
  /// PyTorch: torchmetrics.Metric.update_count.
  std::int64_t update_count() const { return update_count_; }
  /// Returns the state as a dict from names to tensors and lists of tensors.
  /// PyTorch: torchmetrics.Metric.metric_state.
  Value metric_state() const;
  /// Replaces the state by that of a metric of the same class with the same options, which
  /// `metric_state` and `update_count` returned. Throws KeyError or TypeError, and changes nothing,
  /// if a state is missing or not a tensor or list of tensors.
  void load_metric_state(const Value& state, std::int64_t update_count);

 protected:
  Metric() = default;
  Metric(const Metric&) = default;
  Metric(Metric&&) = default;
  Metric& operator=(const Metric&) = default;
  Metric& operator=(Metric&&) = default;

  /// Adds a batch to the state. States must be rebound rather than modified in place.
  virtual void update_state(const Values& batch) = 0;
  /// Computes the value from the state.
  virtual Value compute_state() const = 0;
  /// Combines the states whose reduction is `custom`. All states have their values of before.
  virtual void merge_states(const Metric& other);

  /// Declares a state with its initial value.
  void add_state(std::string name, const Tensor& initial, Reduction reduction = Reduction::sum);
  /// Declares a list of tensors.
  void add_list(std::string name);
  /// Return a state by name. Throw KeyError if it does not exist.
  const Tensor& state(std::string_view name) const;
  void set_state(std::string_view name, Tensor value);
  const std::vector<Tensor>& list(std::string_view name) const;
  void append(std::string_view name, Tensor item);
  /// Adds `value` to a state, whose dtype and shape are preserved.
  void accumulate(std::string_view name, const Tensor& value);
  /// Returns the concatenated items of a list. Throws ValueError if it is empty.
  Tensor concatenated(std::string_view name) const;

 private:
  struct State {
    std::string name;
    Reduction reduction;
    Tensor initial{};
    Tensor value{};
    std::vector<Tensor> items{};
  };
  State& find(std::string_view name);
  const State& find(std::string_view name) const;
  template <class F> void transaction(F&& f);

  std::vector<State> states_;
  std::int64_t update_count_ = 0;
};

/// Base class of metrics of predictions and targets.
class PredictionMetric : public Metric {
 public:
  /// Adds a batch of predictions and targets, whose shapes the class defines. If it throws, the
  /// state is unchanged.
  void update(const Tensor& preds, const Tensor& target) { update_values({preds, target}); }

 protected:
  virtual void update_state(const Tensor& preds, const Tensor& target) = 0;
  void update_state(const Values& batch) final;
};

/// Base class of metrics whose value is a tensor.
class ScoreMetric : public PredictionMetric {
 public:
  /// Returns the value of all batches since the last reset. Throws the errors of compute_value.
  Tensor compute() const { return compute_value().as_tensor(); }
  /// Adds a batch and returns the value of this batch alone.
  Tensor forward(const Tensor& preds, const Tensor& target) {
    return forward_values({preds, target}).as_tensor();
  }

 protected:
  virtual Tensor compute_score() const = 0;
  Value compute_state() const final { return compute_score(); }
};

}  // namespace metrics
}  // namespace taper
