#include "taper/train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/io/load.h"
#include "taper/train/interrupt.h"
#include "train/trainer/trainer_impl.h"

namespace taper::train {
namespace detail {
namespace {

void check_options(const TrainerOptions& options) {
  const auto check = [](const char* name, bool is_valid, const char* expected, auto value) {
    if (!is_valid) fail<ValueError>("Trainer: {}: expected {}, got {}", name, expected, value);
  };
  check("epochs", options.epochs >= 0, ">= 0", options.epochs);
  check("accumulate", options.accumulate >= 1, ">= 1", options.accumulate);
  if (options.clip_grad_norm)
    check("clip_grad_norm", *options.clip_grad_norm > 0, "> 0", *options.clip_grad_norm);
  if (options.clip_grad_value)
    check("clip_grad_value", *options.clip_grad_value > 0, "> 0", *options.clip_grad_value);
  check("early_stopping.patience", options.early_stopping.patience >= 0, ">= 0",
        options.early_stopping.patience);
  check("early_stopping.min_delta", options.early_stopping.min_delta >= 0, ">= 0",
        options.early_stopping.min_delta);
}

/// Restores the states of the generators at the end of its scope.
struct RestoredGenerators {
  TrainerImpl& trainer;
  GeneratorStates states;

  explicit RestoredGenerators(TrainerImpl& t) : trainer(t), states(t.capture_generators()) {}
  RestoredGenerators(const RestoredGenerators&) = delete;
  RestoredGenerators& operator=(const RestoredGenerators&) = delete;
  ~RestoredGenerators() { trainer.restore_generators(states); }
};

/// Sets a module to evaluation mode within its scope, and to training mode after it.
struct EvaluationScope {
  nn::Module& module;

  explicit EvaluationScope(nn::Module& m) : module(m) { module.eval(); }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;
  ~EvaluationScope() { module.train(); }
};

}  // namespace

TrainerImpl::TrainerImpl(nn::Module& m, std::vector<optim::Optimizer*> o, TrainerOptions opts)
    : module(m), optimizers(std::move(o)), options(std::move(opts)), files(options.checkpoint) {
  check_options(options);
  if (optimizers.empty()) fail<ValueError>("Trainer: expected at least one optimizer, got none");
  for (const optim::Optimizer* optimizer : optimizers)
    if (!optimizer) fail<ValueError>("Trainer: an optimizer is null");
  if (options.grad_scaler) scaler.emplace(*options.grad_scaler);
  if (options.ema_decay)
    ema.emplace(module, optim::AveragedModelOptions{
                            .multi_avg_fn = optim::get_ema_multi_avg_fn(*options.ema_decay)});
}

FitResult TrainerImpl::fit(const Batches& batches, const Validate& validate) {
  check_ranks();
  std::optional<Interrupt> interrupt;
  if (options.handle_interrupts) interrupt.emplace();
  loader_generator = batches.generator;
  if (loaded_generators) restore_generators(*loaded_generators);
  loaded_generators.reset();
  is_stop_requested = false;
  std::optional<FitResult> result;
  try {
    while (!result && state.epoch < options.epochs)
      result = state.is_early_stopped ? FitResult::early_stopped : run_epoch(batches, validate);
  } catch (const NonFiniteError&) {
    recover(false);  // the weights may have diverged, those of the last checkpoint have not
    throw;
  } catch (...) {
    recover(true);
    throw;
  }
  bar.reset();
  ranks().call([this] { files.wait(); });  // returns on all ranks when the files are written
  const bool is_finished = state.epoch >= options.epochs;  // also if a signal arrived at the end
  return is_finished ? FitResult::finished : *result;
}

std::optional<FitResult> TrainerImpl::reason_to_stop() const {
  if (options.handle_interrupts && Interrupt::requested()) return FitResult::interrupted;
  if (is_stop_requested) return FitResult::stopped;
  return {};
}

NextBatch TrainerImpl::start_epoch(const Batches& batches) {
  if (state.batch == 0) {
    state.epoch_generators = capture_generators();
    state.loss_sum = state.seconds = 0;
    return batches.start_epoch(state.epoch);
  }
  // Within an epoch: the loader repeats the random numbers of the start, and its batches up to the
  // current one are discarded.
  if (state.epoch_generators.empty())  // of a rank that the checkpoint does not contain
    state.epoch_generators = capture_generators();
  const RestoredGenerators current(*this);
  restore_generators(state.epoch_generators);
  NextBatch next = batches.start_epoch(state.epoch);
  for (std::int64_t i = 0; i < state.batch; ++i)
    if (!next())
      fail<ValueError>(
          "Trainer: the run continues after batch {} of an epoch, but the loader "
          "returned {} batches",
          state.batch, i);
  return next;
}

std::optional<FitResult> TrainerImpl::run_epoch(const Batches& batches, const Validate& validate) {
  if (options.progress && ranks().is_first())
    bar.emplace(ProgressBarOptions{
        .description = fmt::format("epoch {}/{}", state.epoch + 1, options.epochs),
        .total = batches.size});
  begin_step();
  unranked_epoch.reset();
  NextBatch next;
  ranks().call([&] { next = start_epoch(batches); });
  module.train();
  while (true) {
    bool has_batch = false;
    const Decision decision = decide_after([&] { has_batch = take_step(next, batches.size); });
    if (!has_batch) break;
    if (files.enabled() && (decision.reason_to_stop || decision.is_checkpoint_due))
      save_checkpoint();
    if (decision.reason_to_stop) return decision.reason_to_stop;
  }
  if (state.batch == 0) fail<ValueError>("Trainer: the loader has no batches");
  finish_epoch(validate);
  if (state.is_early_stopped) return FitResult::early_stopped;
  return decide_after([] {}).reason_to_stop;
}

Value TrainerImpl::compute_metrics(const Validate& validate) {
  const Value metrics =
      Value::dict({{"train_loss", state.loss_sum / static_cast<double>(state.batch)}});
  ranks().call([&] {
    if (!validate) return;
    const Value computed = validation_metrics(validate);
    for (const auto& [name, metric] : computed.as_dict()) metrics.as_dict().set(name, metric);
  });
  return mean_over_ranks(metrics);
}

Value TrainerImpl::validation_metrics(const Validate& validate) {
  const NoGrad guard;
  std::optional<amp::Autocast> autocast;
  if (options.autocast) autocast.emplace(*options.autocast);
  const Value computed = [&] {
    const EvaluationScope evaluation(module);
    return validate();
  }();
  if (!computed.is_dict())
    fail<TypeError>("Trainer: expected a dict of metrics from the validation, got {}",
                    computed.type_name());
  const Value metrics = Value::dict();
  for (const auto& [name, metric] : computed.as_dict()) {
    const bool is_number = metric.is_tensor()
                               ? metric.as_tensor().numel() == 1
                               : metric.is_float() || metric.is_int() || metric.is_bool();
    if (!name.is_string() || !is_number)
      fail<TypeError>("Trainer: expected a number for the metric {}, got {}", name.repr(),
                      metric.type_name());
    metrics.as_dict().set(
        name, metric.is_tensor() ? metric.as_tensor().item<double>() : metric.as_double());
  }
  return metrics;
}

double TrainerImpl::monitored_value(const Value& metrics) const {
  if (const Value* const value = metrics.find(options.monitor)) return value->as_double();
  std::string names;
  for (const auto& [name, metric] : metrics.as_dict())
    names += (names.empty() ? "" : ", ") + name.as_string();
  fail<ValueError>("Trainer: monitor: expected one of the metrics {}, got '{}'", names,
                   options.monitor);
}

void TrainerImpl::finish_epoch(const Validate& validate) {
  EpochResult result{
      .epoch = state.epoch + 1, .metrics = compute_metrics(validate), .seconds = state.seconds};
  const double monitored = monitored_value(result.metrics);
  phase = Phase::updating;
  step_schedulers(monitored);

  const auto is_better = [&](const std::optional<double>& best, double delta) {
    if (std::isnan(monitored)) return false;
    if (!best) return true;
    return options.monitor_mode == MonitorMode::min ? monitored < *best - delta
                                                    : monitored > *best + delta;
  };
  if ((result.is_best = is_better(state.best, 0))) state.best = monitored;
  if (is_better(state.patience_best, options.early_stopping.min_delta)) {
    state.patience_best = monitored;
    state.epochs_without_improvement = 0;
  } else {
    ++state.epochs_without_improvement;
  }
  state.is_early_stopped = options.early_stopping.patience > 0 &&
                           state.epochs_without_improvement >= options.early_stopping.patience;
  state.history.push_back(result.metrics);
  state.epoch += 1;
  state.batch = 0;
  state.epoch_generators.clear();
  phase = Phase::complete;
  unranked_epoch = monitored;

  if (bar) print_epoch(result);
  ranks().call([&] {
    for (const auto& callback : epoch_callbacks) callback(result);
  });
  if (files.enabled()) save_epoch();
}

void TrainerImpl::save_epoch() {
  const double monitored = *std::exchange(unranked_epoch, std::nullopt);
  const std::vector<std::string> dropped =
      files.rank(state.best_files, state.epoch, monitored, options.monitor_mode);
  std::string name;
  for (const BestFile& file : state.best_files)
    if (file.name == CheckpointFiles::epoch_name(state.epoch)) name = file.name;
  save_checkpoint(name, dropped);
}

void TrainerImpl::save_checkpoint(const std::string& name,
                                  const std::vector<std::string>& dropped) {
  ranks().call([&] {
    const Value value = collect();
    if (ranks().is_first())
      files.save(value, name, dropped);
    else
      files.restart_interval();
  });
  has_unsaved_steps = false;
}

void TrainerImpl::step_schedulers(double monitored) {
  for (const auto& scheduler : options.schedulers)
    scheduler->step(scheduler->type_name() == "ReduceLROnPlateau" ? std::optional<Scalar>(monitored)
                                                                  : std::nullopt);
}

void TrainerImpl::print_epoch(const EpochResult& result) {
  bar->clear();
  std::string line = fmt::format("epoch {}/{}", result.epoch, options.epochs);
  for (const auto& [name, value] : result.metrics.as_dict())
    line += fmt::format("  {} {:.4g}", name.as_string(), value.as_double());
  fmt::print(stderr, "{}  {:.1f} s\n", line, result.seconds);
  std::fflush(stderr);
}

}  // namespace detail

Trainer::Trainer(nn::Module& module, optim::Optimizer& optimizer, TrainerOptions options)
    : Trainer(module, std::vector<optim::Optimizer*>{&optimizer}, std::move(options)) {}
Trainer::Trainer(nn::Module& module, std::vector<optim::Optimizer*> optimizers,
                 TrainerOptions options)
    : impl_(std::make_unique<detail::TrainerImpl>(module, std::move(optimizers),
                                                  std::move(options))) {}
Trainer::~Trainer() = default;

FitResult Trainer::run(const detail::Batches& batches, const Validate& validate) {
  return impl_->fit(batches, validate);
}

void Trainer::on_step(SharedFunction<void(const StepResult&)> callback) {
  impl_->step_callbacks.push_back(std::move(callback));
}
void Trainer::on_epoch(SharedFunction<void(const EpochResult&)> callback) {
  impl_->epoch_callbacks.push_back(std::move(callback));
}
void Trainer::stop() { impl_->is_stop_requested = true; }

bool Trainer::resume() {
  if (!impl_->files.enabled()) fail<ValueError>("Trainer.resume: checkpoint.folder is empty");
  const std::string path = impl_->files.last_path();
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error) || error;
  double found[] = {exists ? 1.0 : 0.0, exists ? 0.0 : 1.0};  // on any rank, and its absence
  impl_->ranks().max(found);
  if (found[0] > 0 && found[1] > 0)
    fail<ValueError>(
        "Trainer.resume: '{}' {} on this rank, unlike on others; the folder must be the same for "
        "all ranks",
        path, exists ? "exists" : "does not exist");
  if (exists) load(path);
  return exists;
}

void Trainer::save(const std::string& path) {
  impl_->ranks().call([&] {
    const Value state = impl_->collect();
    if (impl_->ranks().is_first()) taper::save(state, path);
  });
}
void Trainer::load(const std::string& path) {
  impl_->ranks().call([&] {
    const Value state = taper::load(path);
    try {
      impl_->restore(state);
    } catch (const Error& error) {
      fail<ValueError>("Trainer: '{}' is not a checkpoint of this run: {}", path, error.what());
    }
  });
}
Value Trainer::state_dict() { return impl_->collect(); }
void Trainer::load_state_dict(const Value& state) { impl_->restore(state); }

const TrainerOptions& Trainer::options() const { return impl_->options; }
void Trainer::set_epochs(std::int64_t epochs) {
  if (epochs < 0) fail<ValueError>("Trainer.set_epochs: expected epochs >= 0, got {}", epochs);
  impl_->options.epochs = epochs;
}
nn::Module& Trainer::module() const { return impl_->module; }
optim::AveragedModel* Trainer::ema() const { return impl_->ema ? &*impl_->ema : nullptr; }
std::int64_t Trainer::epoch() const { return impl_->state.epoch; }
std::int64_t Trainer::batch() const { return impl_->state.batch; }
std::int64_t Trainer::step() const { return impl_->state.step; }
const std::vector<Value>& Trainer::history() const { return impl_->state.history; }

}  // namespace taper::train
