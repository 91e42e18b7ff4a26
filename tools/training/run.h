// Run: training of a network on labeled examples, as a taper::train::Trainer.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "optimization.h"
#include "run_settings.h"
#include "taper/nn/module.h"
#include "taper/train/trainer.h"
#include "task.h"

namespace training {

/// Training and test data.
struct Examples {
  taper::Tensor train_images, test_images;  ///< f32 (N, C, H, W), values 0 to 1, or (N, features)
  taper::Tensor train_labels, test_labels;  ///< i64 (N), indices of classes, or f32 (N), numbers
  std::int64_t train_count() const { return train_labels.size(0); }
  std::int64_t test_count() const { return test_labels.size(0); }
};

/// Results of an epoch.
struct EpochResult {
  double train_loss = 0;  ///< mean over the batches
  double train_score = 0, test_loss = 0, test_score = 0, seconds = 0;
};

/// Sums over the batches of the current epoch.
struct Sums {
  double loss = 0, score = 0, seconds = 0;
  std::int64_t seen = 0;
};

class Run {
 public:
  /// Callback that creates the network. The default generator is seeded before the call.
  using MakeNet = std::function<std::shared_ptr<taper::nn::Module>()>;

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  /// Starts a new run: seeds the default generator and creates the network. PyTorch with the same
  /// settings starts with the same weights and draws the same orders. The network maps images to
  /// the outputs that Task::loss describes.
  Run(const Settings& settings, Examples examples, const MakeNet& make_net);
  /// Resumes the run saved in `checkpoint`. Throws taper::Error if the file is not a checkpoint of
  /// a run. `owner` names the expected program in the message.
  Run(const std::string& checkpoint, Examples examples, const MakeNet& make_net,
      const std::string& owner);

  /// Callback that changes a training image (C, H, W). It may draw from the default generator,
  /// which is another one in each call.
  using Augment = taper::SharedFunction<taper::Tensor(const taper::Tensor& image)>;
  /// Sets the function that changes training images, and the number of threads that call it; 0: the
  /// calling thread. The numbers that it draws depend on the seed of the run, the epoch and the
  /// image only.
  void set_augmentation(Augment augment, int workers = 0);

  /// Callback after each batch, called with its loss. Returns true to stop the run.
  using AfterBatch = std::function<bool(double loss)>;
  /// Callback after each epoch, called with its results.
  using AfterEpoch = std::function<void(const EpochResult&)>;
  /// Trains up to `settings().epochs`. Returns false if it was stopped earlier. After an exception,
  /// `save` writes the state of the last completed step. Throws taper::train::NonFiniteError for a
  /// loss that is not finite, unless a gradient scaler skips such steps.
  bool run(const AfterBatch& after_batch = {}, const AfterEpoch& after_epoch = {});

  /// Saves the state required to resume the run, and the entries of the dict `extra_entries` if it
  /// is not None.
  void save(const std::string& path, const taper::Value& extra_entries = {});

  /// Returns the output of the network for images (N, C, H, W) in evaluation mode.
  taper::Tensor predict(const taper::Tensor& images);

  taper::nn::Module& module() { return *net_; }
  const Settings& settings() const { return settings_; }
  Score score() const { return task_.score(); }
  /// Changes the number of epochs. The schedule retains its options. Throws taper::ValueError if it
  /// is a OneCycleLR, which ends with its last step, and the run would become longer.
  void set_epochs(std::int64_t epochs);
  /// Returns the initial learning rate.
  double lr() const { return optimization_->lr(); }
  std::int64_t epoch() const { return trainer_->epoch(); }
  std::int64_t batch() const { return trainer_->batch(); }
  std::int64_t batches_per_epoch() const;
  const Sums& sums() const { return sums_; }
  /// Returns the last step.
  const taper::train::StepResult& last_step() const { return last_step_; }
  const std::vector<EpochResult>& history() const { return history_; }
  const Examples& examples() const { return examples_; }

 private:
  void initialize(const MakeNet& make_net);
  taper::Tensor batch_loss(const taper::Tensor& images, const taper::Tensor& labels);
  void finish_step(const taper::train::StepResult& step);
  void finish_epoch(const taper::train::EpochResult& epoch);
  taper::Value evaluate();

  Settings settings_;
  Examples examples_;
  Task task_;
  double train_variance_, test_variance_;  ///< of the labels, if they are numbers
  std::shared_ptr<taper::nn::Module> net_;
  std::unique_ptr<Optimization> optimization_;
  std::unique_ptr<taper::train::Trainer> trainer_;
  Augment augment_;
  int workers_ = 0;
  AfterBatch after_batch_;
  AfterEpoch after_epoch_;
  Sums sums_;
  taper::train::StepResult last_step_;
  std::vector<EpochResult> history_;
  double step_score_ = 0;            ///< sum of the scores of the current step
  std::int64_t step_seen_ = 0;       ///< number of its examples
  bool is_first_evaluation_ = true;  ///< of a step, which LBFGS evaluates several times
};

/// Returns the output (N, outputs) of a network for images, computed for a thousand images at a
/// time, in evaluation mode and without recording gradients. Throws taper::ShapeError for an output
/// of another shape.
taper::Tensor compute_outputs(taper::nn::Module& net, const taper::Tensor& images);

}  // namespace training
