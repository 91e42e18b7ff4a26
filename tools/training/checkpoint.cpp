// Checkpoints of a run: the state of its Trainer, and {settings, sums, results}.
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

Value value_of(const EpochResult& r, Score score) {
  const std::string name(name_of(score));
  return Value::dict({{"train_loss", r.train_loss},
                      {"train_" + name, r.train_score},
                      {"test_loss", r.test_loss},
                      {"test_" + name, r.test_score},
                      {"seconds", r.seconds}});
}

EpochResult result_from_value(const Value& v, Score score) {
  const std::string name(name_of(score));
  EpochResult r;
  r.train_loss = v["train_loss"].as_double();
  r.train_score = v["train_" + name].as_double();
  r.test_loss = v["test_loss"].as_double();
  r.test_score = v["test_" + name].as_double();
  r.seconds = v["seconds"].as_double();
  return r;
}

}  // namespace

void Run::save(const std::string& path, const Value& extra_entries) {
  Value results = Value::list();
  for (const EpochResult& r : history_) results.append(value_of(r, score()));
  const Value state = trainer_->state_dict();
  taper::Dict& entries = state.as_dict();
  entries.set("settings", settings_.to_value());
  entries.set("sums", Value::dict({{"loss", sums_.loss},
                                   {"score", sums_.score},
                                   {"seconds", sums_.seconds},
                                   {"seen", sums_.seen}}));
  entries.set("results", results);
  if (extra_entries.is_dict())
    for (const auto& [key, v] : extra_entries.as_dict()) entries.set(key, v);
  taper::save(state, path);
}

Run::Run(const std::string& checkpoint, Examples examples, const MakeNet& make_net,
         const std::string& owner)
    : examples_(std::move(examples)),
      task_(examples_.train_labels),
      train_variance_(variance_of(examples_.train_labels)),
      test_variance_(variance_of(examples_.test_labels)) {
  const Value saved = taper::load(checkpoint);
  try {
    settings_ = Settings::from_value(saved["settings"]);
    initialize(make_net);
    trainer_->load_state_dict(saved);
    const Value sums = saved["sums"];
    sums_ = {sums["loss"].as_double(), sums["score"].as_double(), sums["seconds"].as_double(),
             sums["seen"].as_int()};
    for (const Value& r : saved["results"].as_list())
      history_.push_back(result_from_value(r, score()));
    if (batch() > batches_per_epoch() ||
        history_.size() != static_cast<std::size_t>(trainer_->epoch()))
      throw taper::ValueError("inconsistent numbers of batches or epochs");
  } catch (const taper::Error& error) {
    taper::throw_error(error.kind(),
                       checkpoint + " is not a checkpoint of " + owner + ": " + error.what());
  }
}

}  // namespace training
