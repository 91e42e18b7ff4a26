// A training run that can stop after any batch and go on later, to the same bits.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "digits.h"
#include "lenet/lenet.h"
#include "settings.h"
#include "taper/data/data_loader.h"
#include "taper/optim/sgd.h"

namespace demo {

/// What an epoch came to.
struct EpochResult {
  double train_loss = 0;  ///< mean over the batches
  double train_accuracy = 0, test_loss = 0, test_accuracy = 0, seconds = 0;
  std::int64_t test_correct = 0;
};

/// Sums over the epoch so far.
struct Sums {
  double loss = 0, seconds = 0;
  std::int64_t batches = 0, seen = 0, correct = 0;
};

class Training {
 public:
  /// A new run: seeds the default generator and makes the network. PyTorch with the same settings
  /// starts from the same weights and draws the same orders.
  Training(const Settings& settings, const Digits& digits);
  /// The run that was saved as `checkpoint`. Throws taper::Error if it is no checkpoint of a run.
  Training(const std::string& checkpoint, const Digits& digits);

  /// Called after each batch with its loss; true asks to stop.
  using AfterBatch = std::function<bool(double loss)>;
  /// Called after each epoch.
  using AfterEpoch = std::function<void(const EpochResult&)>;
  /// Trains up to `settings().epochs`. False if it was asked to stop before.
  bool run(const AfterBatch& after_batch = {}, const AfterEpoch& after_epoch = {});

  /// Everything the rest of the run needs.
  void save(const std::string& path);

  /// Log-probabilities (N, 10) in evaluation mode.
  taper::Tensor predict(const taper::Tensor& images);

  lenet::LeNet& net() { return *net_; }
  const Settings& settings() const { return settings_; }
  void set_epochs(std::int64_t epochs) { settings_.epochs = epochs; }
  std::int64_t epoch() const { return static_cast<std::int64_t>(history_.size()); }
  std::int64_t batch() const { return sums_.batches; }
  std::int64_t batches_per_epoch() const;
  const Sums& sums() const { return sums_; }
  const std::vector<EpochResult>& history() const { return history_; }

 private:
  void start();
  double train_on(const taper::Tensor& images, const taper::Tensor& labels);
  bool run_epoch(const AfterBatch& after_batch);
  EpochResult evaluate();

  Settings settings_;
  const Digits& digits_;
  std::unique_ptr<lenet::LeNet> net_;
  std::unique_ptr<taper::optim::SGD> optimizer_;
  std::vector<std::int64_t> order_;  ///< of the epoch that is running; empty between epochs
  Sums sums_;
  std::vector<EpochResult> history_;
};

}  // namespace demo
