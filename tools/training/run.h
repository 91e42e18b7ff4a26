// A training run of a classifier that can stop after any batch and go on later, to the same bits.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "run_settings.h"
#include "taper/nn/module.h"
#include "taper/optim/sgd.h"

namespace training {

/// What is learned from, and what is tested with.
struct Examples {
  taper::Tensor train_images, test_images;  ///< f32 (N, C, H, W), values 0 to 1
  taper::Tensor train_labels, test_labels;  ///< i64 (N)
  std::int64_t train_count() const { return train_labels.size(0); }
  std::int64_t test_count() const { return test_labels.size(0); }
};

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

class Run {
 public:
  /// Makes the network, whose weights are drawn after the default generator was seeded.
  using MakeNet = std::function<std::shared_ptr<taper::nn::Module>()>;

  /// A new run: seeds the default generator and makes the network. PyTorch with the same settings
  /// starts from the same weights and draws the same orders. The network takes images and gives
  /// (N, classes): log-probabilities, for which the loss is nll_loss, or scores, for which it is
  /// cross_entropy; which of both, the first batch tells.
  Run(const Settings& settings, Examples examples, const MakeNet& make_net);
  /// The run that was saved as `checkpoint`. Throws taper::Error if it is no checkpoint of a run;
  /// `owner`: whose checkpoint it should be.
  Run(const std::string& checkpoint, Examples examples, const MakeNet& make_net,
      const std::string& owner);

  /// Called after each batch with its loss; true asks to stop.
  using AfterBatch = std::function<bool(double loss)>;
  /// Called after each epoch.
  using AfterEpoch = std::function<void(const EpochResult&)>;
  /// Trains up to `settings().epochs`. False if it was asked to stop before.
  bool run(const AfterBatch& after_batch = {}, const AfterEpoch& after_epoch = {});

  /// Everything the rest of the run needs, and the entries of a dict of the caller.
  void save(const std::string& path, const taper::Value& more = {});

  /// What the network gives for images (N, C, H, W), in evaluation mode.
  taper::Tensor predict(const taper::Tensor& images);

  taper::nn::Module& module() { return *net_; }
  const Settings& settings() const { return settings_; }
  void set_epochs(std::int64_t epochs) { settings_.epochs = epochs; }
  std::int64_t epoch() const { return static_cast<std::int64_t>(history_.size()); }
  std::int64_t batch() const { return sums_.batches; }
  std::int64_t batches_per_epoch() const;
  const Sums& sums() const { return sums_; }
  const std::vector<EpochResult>& history() const { return history_; }
  const Examples& examples() const { return examples_; }

 private:
  void start(const MakeNet& make_net);
  double train_on(const taper::Tensor& images, const taper::Tensor& labels);
  bool run_epoch(const AfterBatch& after_batch);
  EpochResult evaluate();
  taper::Tensor loss_of(const taper::Tensor& output, const taper::Tensor& labels);

  Settings settings_;
  Examples examples_;
  std::shared_ptr<taper::nn::Module> net_;
  std::unique_ptr<taper::optim::SGD> optimizer_;
  std::vector<std::int64_t> order_;  ///< of the epoch that is running; empty between epochs
  Sums sums_;
  std::vector<EpochResult> history_;
  enum class Gives : unsigned char { unknown, log_probabilities, scores } gives_ = Gives::unknown;
};

/// (N, classes) of any network for images, a thousand at a time, in evaluation mode and without a
/// graph. Throws taper::ShapeError for a network that gives something else.
taper::Tensor outputs_of(taper::nn::Module& net, const taper::Tensor& images);

}  // namespace training
