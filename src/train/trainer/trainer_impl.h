// TrainerImpl: state and parts of a trainer.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/train/progress_bar.h"
#include "taper/train/trainer.h"
#include "train/trainer/checkpoint_files.h"
#include "train/trainer/run_state.h"

namespace taper::train::detail {

class TrainerImpl {
 public:
  using Validate = Trainer::Validate;

  TrainerImpl(nn::Module& module, std::vector<optim::Optimizer*> optimizers,
              TrainerOptions options);

  // trainer.cpp
  FitResult fit(const Batches& batches, const Validate& validate);
  std::optional<FitResult> run_epoch(const Batches& batches, const Validate& validate);
  NextBatch start_epoch(const Batches& batches);
  std::optional<FitResult> reason_to_stop() const;
  void finish_epoch(const Validate& validate);
  Value compute_metrics(const Validate& validate);
  double monitored_value(const Value& metrics) const;
  void step_schedulers(double monitored);
  void print_epoch(const EpochResult& result);

  // step.cpp
  /// Performs the step of the next batches. Returns false at the end of the epoch.
  bool take_step(const NextBatch& next, std::int64_t batches);

  // trainer_state.cpp
  GeneratorStates capture_generators() const;
  void restore_generators(const GeneratorStates& states);
  Value to_value();
  void restore(const Value& state);

  nn::Module& module;
  std::vector<optim::Optimizer*> optimizers;
  TrainerOptions options;
  std::optional<amp::GradScaler> scaler;
  std::optional<optim::AveragedModel> ema;
  CheckpointFiles files;
  std::vector<SharedFunction<void(const StepResult&)>> step_callbacks;
  std::vector<SharedFunction<void(const EpochResult&)>> epoch_callbacks;
  std::optional<ProgressBar> bar;

  RunState state;
  std::optional<Generator> loader_generator{};
  /// States to restore when the generator of the loader is known.
  std::optional<GeneratorStates> loaded_generators{};
  bool is_stop_requested = false;
};

}  // namespace taper::train::detail
