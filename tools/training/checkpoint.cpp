// Checkpoints of a run: {epoch, batch, order, generator, model_state_dict, optimizer_state_dict,
// scheduler_state_dict, loss, sums, history, settings}.
#include <span>

#include "run.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace training {

using taper::Shape;
using taper::Value;

namespace {

template <class T> taper::Tensor vector_tensor(const std::vector<T>& values) {
  return taper::tensor(std::span<const T>(values), Shape(values.size()));
}

Value value_of(const EpochResult& r) {
  return Value::dict({{"train_loss", r.train_loss},
                      {"train_accuracy", r.train_accuracy},
                      {"test_loss", r.test_loss},
                      {"test_accuracy", r.test_accuracy},
                      {"test_correct", r.test_correct},
                      {"seconds", r.seconds}});
}

EpochResult result_from_value(const Value& v) {
  EpochResult r;
  r.train_loss = v["train_loss"].as_double();
  r.train_accuracy = v["train_accuracy"].as_double();
  r.test_loss = v["test_loss"].as_double();
  r.test_accuracy = v["test_accuracy"].as_double();
  r.test_correct = v["test_correct"].as_int();
  r.seconds = v["seconds"].as_double();
  return r;
}

}  // namespace

void Run::save(const std::string& path, const Value& extra_entries) {
  Value history = Value::list();
  for (const EpochResult& r : history_) history.append(value_of(r));
  const Value sums = Value::dict({{"loss", sums_.loss},
                                  {"seconds", sums_.seconds},
                                  {"batches", sums_.batches},
                                  {"seen", sums_.seen},
                                  {"correct", sums_.correct}});
  const double loss = sums_.batches      ? sums_.loss / static_cast<double>(sums_.batches)
                      : history_.empty() ? 0
                                         : history_.back().train_loss;
  const Value entries = Value::dict({{"epoch", epoch()},
                                     {"batch", batch()},
                                     {"order", vector_tensor(order_)},
                                     {"generator", vector_tensor(taper::get_rng_state())},
                                     {"model_state_dict", net_->state_dict()},
                                     {"optimizer_state_dict", optimization_->optimizer_state()},
                                     {"scheduler_state_dict", optimization_->scheduler_state()},
                                     {"loss", loss},
                                     {"sums", sums},
                                     {"history", history},
                                     {"settings", settings_.to_value()}});
  if (extra_entries.is_dict())
    for (const auto& [key, v] : extra_entries.as_dict()) entries.as_dict().set(key, v);
  taper::save(entries, path);
}

Run::Run(const std::string& checkpoint, Examples examples, const MakeNet& make_net,
         const std::string& owner)
    : examples_(std::move(examples)) {
  const Value saved = taper::load(checkpoint);
  try {
    settings_ = Settings::from_value(saved["settings"]);
    initialize(make_net);
    net_->load_state_dict(saved["model_state_dict"]);
    const Value* const schedule = saved.find("scheduler_state_dict");
    optimization_->load(saved["optimizer_state_dict"], schedule ? *schedule : Value());
    const taper::Tensor order = saved["order"].as_tensor(), state = saved["generator"].as_tensor();
    const auto indices = order.data<std::int64_t>();
    order_.assign(indices.begin(), indices.end());
    taper::set_rng_state(state.data<std::uint8_t>());
    const Value sums = saved["sums"];
    sums_ = {sums["loss"].as_double(), sums["seconds"].as_double(), sums["batches"].as_int(),
             sums["seen"].as_int(), sums["correct"].as_int()};
    const auto batches = static_cast<std::uint64_t>(sums_.batches);
    const bool between_epochs = order_.empty() && batches == 0;
    if (!between_epochs && (order_.size() != static_cast<std::size_t>(examples_.train_count()) ||
                            batches > static_cast<std::uint64_t>(batches_per_epoch())))
      throw taper::ValueError("inconsistent order and batch count");
    for (const Value& r : saved["history"].as_list()) history_.push_back(result_from_value(r));
  } catch (const taper::Error& error) {
    taper::throw_error(error.kind(),
                       checkpoint + " is not a checkpoint of " + owner + ": " + error.what());
  }
}

}  // namespace training
