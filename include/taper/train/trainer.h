// Trainer: the loop that trains a module.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"
#include "taper/nn/module_base.h"
#include "taper/optim/optimizer.h"
#include "taper/optim/swa_utils.h"
#include "taper/train/detail/batches.h"
#include "taper/train/trainer_options.h"

namespace TAPER_API taper {
namespace train {
namespace detail {
class TrainerImpl;
}

/// Loss, or norm of the gradients, that is NaN or infinite; see TrainerOptions::detect_anomaly.
class NonFiniteError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Trains a module: reads batches, steps optimizers and schedulers, validates, writes checkpoints,
/// and resumes a run from them with bit-identical results. Lightning: Trainer.
///
///     train::Trainer trainer(net, optimizer, {.epochs = 20, .monitor = "accuracy",
///                                             .monitor_mode = train::MonitorMode::max,
///                                             .checkpoint = {.folder = "runs/lenet"}});
///     trainer.on_step([&](const auto& step) { log.add_scalar("loss", step.loss, step.step); });
///     trainer.resume();
///     trainer.fit(
///         loader,
///         [&](auto& batch) { return F::cross_entropy(net(batch.first), batch.second); },
///         [&] { return Value::dict({{"accuracy", accuracy(net, test)}}); });
///
/// An epoch is: the module in training mode, a step per batch (or per `accumulate` batches), the
/// validation, the schedulers, `on_epoch`, the checkpoint. A step is: `zero_grad`, the loss and
/// `backward` of its batches, clipping, the step of each optimizer and of the `step_schedulers`,
/// `on_step`, the checkpoint.
///
/// A checkpoint contains the states of the module, the optimizers, the schedulers, the scaler, the
/// average and the generators. Resumed within an epoch, the loader is started with the generators
/// as they were at the start of the epoch and its completed batches are read and discarded. Results
/// are bit-identical if the loader returns the same batches for the same generators, which requires
/// `persistent_workers = false` where workers draw random numbers.
///
/// If the default process group has several ranks, they train together, and the loop is the same:
/// `distributed::DistributedDataParallel ddp(net)` beside the module averages the gradients. All
/// ranks then call `fit`, `resume`, `load`, `save` and `state_dict`. train_loss and the metrics of
/// the validation are the means over the ranks that return them, so that all ranks select the same
/// epochs, learning rates and end; a stop or signal on one rank stops all of them after the same
/// step. The first rank displays progress and writes the files. Checkpoints contain the generators
/// of all ranks; resumed with more ranks, the others continue with their own. Completed batches are
/// counted per rank: resumed within an epoch with another number of ranks, the batches of all ranks
/// together must have the same size.
///
/// `fully_shard`, `parallelize_module` and `ZeroRedundancyOptimizer` may divide the module and the
/// optimizer. Checkpoints contain the whole state, which rank 0 gathers; `state_dict` returns it on
/// rank 0 only. Ranks of `parallelize_module` must read the same batches; resumed with more ranks,
/// the others continue with the generators of rank 0.
///
/// If a rank fails, the others throw an error of the same kind with its rank and message, or a
/// DistributedError if it failed while they were in another collective. Lightning: the strategy
/// "ddp".
class Trainer {
 public:
  /// The module, the optimizers and the schedulers must outlive the trainer. The closure of a step
  /// is passed to the first optimizer. Throws ValueError for invalid options.
  Trainer(nn::Module& module, optim::Optimizer& optimizer, TrainerOptions options = {});
  Trainer(nn::Module& module, std::vector<optim::Optimizer*> optimizers,
          TrainerOptions options = {});
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Function that computes metrics after an epoch, a dict of numbers by name. It is called with
  /// the module in evaluation mode and without recording gradients.
  using Validate = SharedFunction<Value()>;

  /// Trains until `epochs` are done or the run is stopped. `loader` is a range that is iterated
  /// once per epoch, such as a DataLoader; `set_epoch` of its sampler is called with the number of
  /// the epoch, from 0. `loss_fn` receives a batch and returns a tensor with one
  /// element. A run that was stopped, or that ended with an exception, continues with the next
  /// call, as a resumed one.
  ///
  /// Throws NonFiniteError for a loss that is not finite (see `detect_anomaly`), ValueError if
  /// `loss_fn` does not return one element, `monitor` is not a metric, or the loaders of several
  /// ranks return different numbers of batches; and the exceptions of the loader, the functions and
  /// the checkpoints.
  ///
  /// An exception leaves the state of the last completed step: the buffers of the module and the
  /// generators are restored. `last.pt` is written with it, except after a NonFiniteError, because
  /// the weights may have diverged, and with several ranks, which may have failed at different
  /// steps. An exception of an optimizer, of the average or of a scheduler may leave a part of an
  /// update; the state is not restored and not written then.
  template <class Loader, class Loss>
  FitResult fit(Loader& loader, Loss loss_fn, const Validate& validate = {}) {
    return run(detail::make_batches(loader, std::move(loss_fn), options().device), validate);
  }

  /// Registers a callback, which runs after each step, or after each epoch. Callbacks run in the
  /// order of registration.
  void on_step(SharedFunction<void(const StepResult&)> callback);
  void on_epoch(SharedFunction<void(const EpochResult&)> callback);
  /// Ends `fit` after the current step. For callbacks.
  void stop();

  /// Loads `last.pt` of the folder of the checkpoints. Returns false if it does not exist. Throws
  /// the errors of `load`, and ValueError if the folder is empty or if only some of several ranks
  /// find the file.
  bool resume();
  /// Writes, or reads, a checkpoint. Within an epoch, gradients are not part of it. With several
  /// ranks, the first one writes the file. `save` throws IoError with the path. `load` throws the
  /// errors of taper::load, and ValueError, without any change, if the file is not a
  /// checkpoint of such a run.
  void save(const std::string& path);
  void load(const std::string& path);
  /// Returns the state of the run, as in its checkpoints: epoch, batch, step, sums of the epoch,
  /// generators, history, and state dicts by the names of PyTorch's recipes, `model_state_dict`,
  /// `optimizer_state_dict` (a list if there are several), ...
  Value state_dict();
  /// Restores a state. Throws without any change if it is unsuitable.
  void load_state_dict(const Value& state);
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&) = delete;  // a file is read by load(path)

  const TrainerOptions& options() const;
  /// Changes the number of epochs, for example to continue a finished run.
  void set_epochs(std::int64_t epochs);
  nn::Module& module() const;
  /// Returns the averaged module; null unless `ema_decay` is set. If parameters are divided among
  /// ranks, each rank has its part of the averages. A copy of a module that was given to
  /// distributed::fully_shard cannot be called; get_model_state_dict returns the whole averages.
  optim::AveragedModel* ema() const;
  /// Return the number of completed epochs, completed batches of the current epoch, and steps.
  std::int64_t epoch() const;
  std::int64_t batch() const;
  std::int64_t step() const;
  /// Returns the metrics of the completed epochs.
  const std::vector<Value>& history() const;

 private:
  FitResult run(const detail::Batches& batches, const Validate& validate);

  std::unique_ptr<detail::TrainerImpl> impl_;
};

}  // namespace train
}  // namespace taper
