// Options and results of Trainer.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "taper/autograd/autocast.h"
#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/generator.h"
#include "taper/core/value.h"
#include "taper/optim/grad_scaler.h"
#include "taper/optim/lr_scheduler/scheduler.h"

namespace TAPER_API taper {
namespace train {

/// Files that a run writes. Each contains the whole state of the run and is written atomically.
struct CheckpointOptions {
  /// Directory of the files; empty: none are written. `last.pt` is replaced after each epoch, when
  /// the run is stopped or fails, and as often as the next two options say.
  std::string folder{};
  std::int64_t every_steps = 0;  ///< steps between checkpoints within an epoch; 0: none
  double every_minutes = 0;      ///< minutes between checkpoints within an epoch; 0: none
  /// Number of the best epochs, by `monitor`, whose checkpoints `epoch-0007.pt` are kept.
  std::int64_t keep_best = 0;
  /// Writes the files in the background. The state is copied before training continues.
  bool async = true;
};

/// Ends a run that does not improve.
struct EarlyStoppingOptions {
  std::int64_t patience = 0;  ///< epochs without improvement before the run ends; 0: no limit
  double min_delta = 0;       ///< smaller changes of the metric are not an improvement
};

/// Better values of the monitored metric.
enum class MonitorMode : std::uint8_t { min, max };

/// Options of Trainer.
struct TrainerOptions {
  std::int64_t epochs = 1;  ///< number of epochs of the run
  /// Moves the tensors of each batch to this device, also those in pairs, tuples, vectors and
  /// Values.
  std::optional<Device> device{};
  /// Computes the loss, and the validation, within amp::Autocast.
  std::optional<amp::AutocastOptions> autocast{};
  /// Scales the loss, for float16.
  std::optional<amp::GradScalerOptions> grad_scaler{};
  /// Number of batches per step, whose gradients are averaged. The last step of an epoch may have
  /// fewer batches; their loss is divided by the same number.
  std::int64_t accumulate = 1;
  std::optional<double> clip_grad_norm{};   ///< maximum norm of all gradients
  std::optional<double> clip_grad_value{};  ///< maximum absolute value of a gradient
  /// Keeps an exponential moving average of the parameters, see Trainer::ema.
  std::optional<double> ema_decay{};
  /// Schedulers that proceed after each epoch. ReduceLROnPlateau receives the monitored metric.
  std::vector<optim::lr_scheduler::SchedulerRef> schedulers{};
  /// Schedulers that proceed after each step of the optimizer.
  std::vector<optim::lr_scheduler::SchedulerRef> step_schedulers{};
  /// Metric that selects the best checkpoints, ends the run early and controls ReduceLROnPlateau:
  /// "train_loss" or a metric of the validation.
  std::string monitor = "train_loss";
  MonitorMode monitor_mode = MonitorMode::min;
  CheckpointOptions checkpoint{};
  EarlyStoppingOptions early_stopping{};
  /// Throws if the loss is NaN or infinite, naming the first module with such a result. Ignored
  /// with a GradScaler, which skips such steps.
  bool detect_anomaly = true;
  /// Ends the run after the current step at the first SIGINT (Ctrl-C) or SIGTERM.
  bool handle_interrupts = true;
  bool progress = true;  ///< displays a ProgressBar on standard error
  /// Trains with all ranks of the default process group, if there are several. False: the trainer
  /// does not communicate, for ranks that train separate modules.
  bool synchronize_ranks = true;
  /// Generators that the data depends on, besides the default generator and that of the loader: for
  /// example that of a sampler. Their states are part of the checkpoints.
  std::vector<Generator> generators{};
};

/// A step of the optimizer, as the callback of Trainer::on_step receives it. Batches, samples and
/// the loss are those of the rank.
struct StepResult {
  std::int64_t epoch = 0;                ///< from 1
  std::int64_t batch = 0, batches = 0;   ///< completed batches and all of the epoch; 0: unknown
  std::int64_t step = 0;                 ///< steps since the start of the run
  std::int64_t samples = 0;              ///< samples of the step
  double loss = 0;                       ///< mean over the batches of the step
  std::vector<double> learning_rates{};  ///< of the groups of all optimizers, during the step
  /// Norm of all gradients before clipping; NaN unless `clip_grad_norm` is set.
  double grad_norm = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;  ///< time of the step and of reading its batches
};

/// An epoch, as the callback of Trainer::on_epoch receives it.
struct EpochResult {
  std::int64_t epoch = 0;  ///< from 1
  /// "train_loss", the mean over the batches, and the metrics of the validation; with several ranks
  /// the means over all ranks.
  Value metrics{};
  double seconds = 0;    ///< time of the training steps and of reading the data
  bool is_best = false;  ///< true if the monitored metric is the best one of the run so far
};

/// Reason why Trainer::fit returned.
enum class FitResult : std::uint8_t {
  finished,       ///< all epochs are done
  early_stopped,  ///< the monitored metric did not improve
  stopped,        ///< a callback called Trainer::stop
  interrupted,    ///< by a signal, see Interrupt
};

}  // namespace train
}  // namespace taper
