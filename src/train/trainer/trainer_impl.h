// TrainerImpl: state and parts of a trainer.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/train/progress_bar.h"
#include "taper/train/trainer.h"
#include "train/trainer/checkpoint_files.h"
#include "train/trainer/ranks.h"
#include "train/trainer/run_state.h"

namespace taper::train::detail {

/// What follows a step, the same on all ranks.
struct Decision {
  std::optional<FitResult> reason_to_stop{};
  bool is_checkpoint_due = false;
};

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
  Value validation_metrics(const Validate& validate);
  double monitored_value(const Value& metrics) const;
  void step_schedulers(double monitored);
  void print_epoch(const EpochResult& result);
  /// Writes a checkpoint, see CheckpointFiles::save. The first rank writes it.
  void save_checkpoint(const std::string& name = {}, const std::vector<std::string>& dropped = {});
  /// Ranks the epoch of `unranked_epoch` among the best ones and writes its checkpoint.
  void save_epoch();

  // agreement.cpp
  Ranks ranks() const { return Ranks(options.synchronize_ranks ? rank_exchange() : nullptr); }
  /// Throws if ranks cannot train together.
  void check_ranks() const;
  /// Throws unless all ranks have read the same number of batches for a step.
  void check_batches(const std::exception_ptr& error, const std::vector<AnyBatch>& read) const;
  /// Returns the decision of all ranks after `f`. Throws on all ranks if `f` throws on one.
  Decision decide_after(const SharedFunction<void()>& f) const;
  /// Returns the means over the ranks that have the metric.
  Value mean_over_ranks(const Value& metrics) const;

  // recovery.cpp
  /// Captures the state that reading batches and computing their gradients change.
  void begin_step();
  /// After an exception: restores the state of the last completed step, and writes it to last.pt if
  /// it is not in a file and `saves` is set. At the end of an epoch, ranks it as without exception.
  /// Waits until all files are written. Reports failures to write as warnings.
  void recover(bool saves);

  // step.cpp
  std::vector<AnyBatch> read_batches(const NextBatch& next) const;
  /// Performs the step of the next batches. Returns false at the end of the epoch.
  bool take_step(const NextBatch& next, std::int64_t batches);

  // trainer_state.cpp
  GeneratorStates capture_generators() const;
  void restore_generators(const GeneratorStates& states);
  /// Form of states that are divided among ranks: whole, or the part of this rank.
  enum class Form : std::uint8_t { whole, own };
  /// Returns the states of the module, the optimizers and other components. Collective if they are
  /// whole.
  Value component_states(Form form);
  /// Loads such states. Not collective.
  void load_component_states(const Value& states, Form form);
  /// Returns the state of the run, with the generators of all ranks. Collective. The parameters and
  /// the state of optimizers are whole on rank 0 and unspecified on others if they are divided.
  Value collect();
  /// Restores a state that `collect` returned on rank 0. Not collective.
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

  /// Progress of a step, which determines the result of an exception.
  enum class Phase : std::uint8_t {
    complete,    ///< the step is complete
    reversible,  ///< only state that `begin_step` captured has changed
    updating,    ///< parameters, optimizers or schedulers are changing
  };
  Phase phase = Phase::complete;
  GeneratorStates step_generators{};
  std::vector<Tensor> step_buffers{};  ///< copies, in the order of Module::named_buffers
  bool has_unsaved_steps = false;
  std::optional<double> unranked_epoch{};  ///< monitored value of the last epoch until it is saved
};

}  // namespace taper::train::detail
