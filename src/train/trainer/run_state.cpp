#include "train/trainer/run_state.h"

#include <span>

#include "core/check.h"
#include "io/text.h"
#include "taper/core/factory.h"

namespace taper::train {
namespace {

Value value_of(const std::optional<double>& number) { return number ? Value(*number) : Value(); }
std::optional<double> number_of(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional(value.as_double());
}

std::int64_t count_of(const Value& state, const char* name) {
  const std::int64_t count = state[name].as_int();
  if (count < 0) fail<ValueError>("{}: expected a count, got {}", name, count);
  return count;
}

}  // namespace

Value to_value(const GeneratorStates& states) {
  Value list = Value::list();
  for (const auto& bytes : states)
    list.append(bytes.empty() ? Value()
                              : Value(tensor(std::span<const std::uint8_t>(bytes),
                                             Shape{static_cast<std::int64_t>(bytes.size())})));
  return list;
}

GeneratorStates generator_states(const Value& value) {
  GeneratorStates states;
  for (const Value& state : value.as_sequence()) {
    states.emplace_back();
    if (state.is_none()) continue;
    const Tensor bytes = state.as_tensor().contiguous();
    const auto data = bytes.data<std::uint8_t>();
    states.back().assign(data.begin(), data.end());
  }
  return states;
}

Value RunState::to_value() const {
  Value files = Value::list();
  for (const BestFile& f : best_files)
    files.append(Value::dict({{"value", f.value}, {"name", f.name}}));
  return Value::dict(
      {{"epoch", epoch},
       {"batch", batch},
       {"step", step},
       {"loss_sum", loss_sum},
       {"seconds", seconds},
       // A step that failed may have been the first of its epoch.
       {"epoch_generators", train::to_value(batch > 0 ? epoch_generators : GeneratorStates())},
       {"history", Value::list(Values(history.begin(), history.end()))},
       {"best", value_of(best)},
       {"patience_best", value_of(patience_best)},
       {"epochs_without_improvement", epochs_without_improvement},
       {"is_early_stopped", is_early_stopped},
       {"best_files", files}});
}

RunState RunState::from_value(const Value& value) {
  RunState s;
  s.epoch = count_of(value, "epoch");
  s.batch = count_of(value, "batch");
  s.step = count_of(value, "step");
  s.loss_sum = value["loss_sum"].as_double();
  s.seconds = value["seconds"].as_double();
  s.epoch_generators = generator_states(value["epoch_generators"]);
  for (const Value& metrics : Value(value["history"]).as_sequence()) {
    metrics.as_dict();
    s.history.push_back(metrics);
  }
  s.best = number_of(value["best"]);
  s.patience_best = number_of(value["patience_best"]);
  s.epochs_without_improvement = count_of(value, "epochs_without_improvement");
  s.is_early_stopped = value["is_early_stopped"].as_bool();
  for (const Value& file : Value(value["best_files"]).as_sequence()) {
    const std::string name = Value(file["name"]).as_string();
    // The file is removed from the folder of the run when a better one replaces it.
    if (name.find('/') != std::string::npos)
      fail<ValueError>("best_files: expected the name of a file without a directory, got '{}'",
                       io::escape_for_message(name));
    s.best_files.push_back({file["value"].as_double(), name});
  }
  if ((s.batch > 0) == s.epoch_generators.empty())
    fail<ValueError>("{} batches are completed in an epoch with {} generators", s.batch,
                     s.epoch_generators.size());
  return s;
}

}  // namespace taper::train
