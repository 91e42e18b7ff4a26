#include "taper/metrics/metric.h"

#include <typeinfo>

#include "core/check.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

/// Makes tensors with one element 0-dimensional.
Value squeeze_scalars(const Value& value) {
  if (value.is_tensor()) {
    const Tensor& t = value.as_tensor();
    return t.numel() == 1 && t.dim() > 0 ? Value(t.reshape(Shape{})) : value;
  }
  if (value.is_list() || value.is_tuple()) {
    Values items;
    for (const Value& item : value.as_sequence()) items.push_back(squeeze_scalars(item));
    return value.with_items(std::move(items));
  }
  if (value.is_dict()) {
    Value result = Value::dict();
    for (const auto& [key, item] : value.as_dict())
      result.as_dict().set(key, squeeze_scalars(item));
    return result;
  }
  return value;
}

}  // namespace

Metric::State& Metric::find(std::string_view name) {
  for (State& state : states_)
    if (state.name == name) return state;
  fail<KeyError>("{}: no state '{}'", type_name(), name);
}

const Metric::State& Metric::find(std::string_view name) const {
  return const_cast<Metric*>(this)->find(name);
}

void Metric::add_state(std::string name, const Tensor& initial, Reduction reduction) {
  states_.push_back({std::move(name), reduction, initial, initial});
}

void Metric::add_list(std::string name) { states_.push_back({std::move(name), Reduction::cat}); }

const Tensor& Metric::state(std::string_view name) const { return find(name).value; }

void Metric::set_state(std::string_view name, Tensor value) { find(name).value = std::move(value); }

const std::vector<Tensor>& Metric::list(std::string_view name) const { return find(name).items; }

void Metric::append(std::string_view name, Tensor item) {
  find(name).items.push_back(std::move(item));
}

void Metric::accumulate(std::string_view name, const Tensor& value) {
  State& state = find(name);
  const Tensor sum = (state.value + value).to(state.value.dtype());
  if (sum.shape() != state.value.shape())
    fail<ShapeError>("{}: shape {} does not match state '{}' of shape {}", type_name(),
                     value.shape(), name, state.value.shape());
  state.value = sum;
}

Tensor Metric::concatenated(std::string_view name) const {
  const std::vector<Tensor>& items = list(name);
  if (items.empty()) fail<ValueError>("{}: no samples to concatenate", type_name());
  std::vector<Tensor> parts;
  parts.reserve(items.size());
  for (const Tensor& t : items) parts.push_back(t.dim() == 0 ? t.reshape({1}) : t);
  return cat(parts);
}

/// Calls f; restores the state if it throws. Lists only grow and values are rebound, so that the
/// previous state consists of handles and sizes.
template <class F> void Metric::transaction(F&& f) {
  std::vector<std::pair<Tensor, std::size_t>> before;
  before.reserve(states_.size());
  for (const State& state : states_) before.emplace_back(state.value, state.items.size());
  const std::int64_t count = update_count_;
  const NoGrad no_grad;
  try {
    f();
  } catch (...) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].value = before[i].first;
      states_[i].items.resize(before[i].second);
    }
    update_count_ = count;
    throw;
  }
}

void Metric::update_values(const Values& batch) {
  transaction([&] {
    update_state(batch);
    ++update_count_;
  });
}

Value Metric::compute_value() const {
  const NoGrad no_grad;
  return squeeze_scalars(compute_state());
}

Value Metric::forward_values(const Values& batch) {
  update_values(batch);
  std::vector<State> all = states_;
  const std::int64_t count = update_count_;
  const auto restore = [&] {
    states_ = std::move(all);
    update_count_ = count;
  };
  Value result;
  try {
    for (State& state : states_) state.value = state.initial, state.items.clear();
    update_values(batch);
    result = compute_value();
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return result;
}

void Metric::reset() {
  for (State& state : states_) {
    state.value = state.initial;
    state.items.clear();
  }
  update_count_ = 0;
}

void Metric::merge_states(const Metric& /*other*/) {}

void Metric::merge(const Metric& other) {
  if (typeid(*this) != typeid(other) || states_.size() != other.states_.size())
    fail<TypeError>("{}: cannot merge the state of {}", type_name(), other.type_name());
  if (this == &other) fail<ValueError>("{}: cannot merge a metric with itself", type_name());
  transaction([&] {
    merge_states(other);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& to = states_[i];
      const State& from = other.states_[i];
      switch (to.reduction) {
        case Reduction::sum: to.value = to.value + from.value; break;
        case Reduction::max: to.value = to.value.maximum(from.value); break;
        case Reduction::min: to.value = to.value.minimum(from.value); break;
        case Reduction::last: to.value = from.value; break;
        case Reduction::cat:
          to.items.insert(to.items.end(), from.items.begin(), from.items.end());
          break;
        case Reduction::custom: break;
      }
    }
    update_count_ += other.update_count_;
  });
}

Value Metric::metric_state() const {
  Value result = Value::dict();
  for (const State& state : states_) {
    if (state.reduction == Reduction::cat) {
      Values items(state.items.begin(), state.items.end());
      result.as_dict().set(state.name, Value::list(std::move(items)));
    } else {
      result.as_dict().set(state.name, state.value);
    }
  }
  return result;
}

void Metric::load_metric_state(const Value& state, std::int64_t update_count) {
  std::vector<State> loaded = states_;
  for (State& s : loaded) {
    const Value* const found = state.is_dict() ? state.find(s.name) : nullptr;
    if (!found) fail<KeyError>("{}: the state to load has no '{}'", type_name(), s.name);
    if (s.reduction != Reduction::cat) {
      s.value = found->as_tensor();
      continue;
    }
    s.items.clear();
    for (const Value& item : found->as_sequence()) s.items.push_back(item.as_tensor());
  }
  states_ = std::move(loaded);
  update_count_ = update_count;
}

void PredictionMetric::update_state(const Values& batch) {
  if (batch.size() != 2 || !batch[0].is_tensor() || !batch[1].is_tensor())
    fail<TypeError>("{}: expected the tensors preds and target", type_name());
  update_state(batch[0].as_tensor(), batch[1].as_tensor());
}

}  // namespace taper::metrics
