// Kinds of family ddp without DistributedDataParallel.
#include "dist/kinds.h"

#include <algorithm>

#include "dist/rank_training.h"
#include "kit/metric_factory.h"
#include "taper/core/dict.h"
#include "taper/dist/metrics.h"

namespace taper::oracle {
namespace {

/// Returns the name and arguments of the class of torchmetrics that a class with `task` creates.
std::pair<std::string, Json> metric_class(const std::string& name, Json args) {
  constexpr const char* kAggregations[] = {"MeanMetric", "MaxMetric", "MinMetric", "SumMetric",
                                           "CatMetric"};
  const bool aggregates = std::any_of(std::begin(kAggregations), std::end(kAggregations),
                                      [&](const char* other) { return name == other; });
  if (aggregates) return {"aggregation." + name, args};
  if (!args.contains("task")) return {"regression." + name, args};
  std::string task = args.at("task");
  args.erase("task");
  task[0] = static_cast<char>(task[0] - 'a' + 'A');
  // The classes with `task` average over all examples by default, those of a task over classes.
  constexpr const char* kMicro[] = {"Accuracy", "F1Score", "Precision", "Recall"};
  const bool is_micro = std::any_of(std::begin(kMicro), std::end(kMicro),
                                    [&](const char* other) { return name == other; });
  if (is_micro && task != "Binary" && !args.contains("average")) args["average"] = "micro";
  return {"classification." + task + name, args};
}

}  // namespace

Value run_sync_batch_norm(RankCase& c) {
  std::map<std::string, Value> args;
  for (const auto& [name, value] : c.at("args").items()) args[name] = option_value(name, value);
  const Built layer = make_layer("SyncBatchNorm", {}, std::move(args));
  layer->load_state_dict(c.read("before"));
  layer->to(c.read("dtype").as_dtype());
  const Value inputs = c.read("inputs"), cotangents = c.read("grad_outputs");
  Value passes = Value::list();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor x = inputs.as_list()[i].as_tensor();
    x.requires_grad_();
    layer->zero_grad();
    const Tensor y = layer->call({x}).as_tensor();
    (y * cotangents.as_list()[i].as_tensor()).sum().backward();
    passes.append(Value::dict({{"out", y.detach()},
                               {"grad_input", x.grad()},
                               {"grads", copied_gradients(*layer)},
                               {"state", copied_state(*layer)}}));
  }
  return Value::dict({{"passes", passes}});
}

Value run_rank_metric(RankCase& c) {
  const auto [name, args] = metric_class(c.text("name"), c.at("args"));
  const auto metric = make_metric(name, args);
  const Value batches = c.read("batches");
  Value computed = Value::list();
  for (const Value& batch : batches.as_list()) {
    metric->update_values(batch.as_list());
    const auto total = make_metric(name, args), part = make_metric(name, args);
    distributed::detail::merge_over_ranks(*metric, *total, *part, nullptr);
    const Value value = total->compute_value();
    computed.append(value.is_tensor() && value.as_tensor().dim() == 0 ? value.as_tensor().tolist()
                                                                      : value);
  }
  std::vector<std::string> names;
  const Value state = metric->metric_state();
  for (const auto& [key, value] : state.as_dict()) names.push_back(key.as_string());
  std::sort(names.begin(), names.end());
  return Value::dict(
      {{"computed", computed}, {"tensor_states", Value::list(Values(names.begin(), names.end()))}});
}

}  // namespace taper::oracle
