#include "run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "progress.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/detail/thread_generator.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/nn/functional.h"

namespace training {

using taper::Tensor;
namespace F = taper::F;

namespace {

/// Returns `output`, the output of a network for `count` images. Throws ShapeError if it is not a
/// floating-point tensor of shape (count, outputs).
Tensor check_outputs(const taper::nn::Module& net, const taper::Value& output, std::int64_t count) {
  const bool fits = output.is_tensor() && output.as_tensor().dim() == 2 &&
                    output.as_tensor().size(0) == count && output.as_tensor().is_floating_point();
  if (!fits)
    taper::fail<taper::ShapeError>(
        "{}: expected outputs of shape ({}, outputs) for {} examples, got {}", net.type_name(),
        count, count, output.is_tensor() ? output.as_tensor().shape().str() : output.type_name());
  return output.as_tensor();
}

std::optional<taper::amp::AutocastOptions> autocast_of(const Settings& settings) {
  if (settings.precision == "float32") return {};
  return taper::amp::AutocastOptions{.dtype = settings.precision == "float16" ? taper::float16
                                                                              : taper::bfloat16};
}

/// Returns a number that depends on both in every bit: a step of SplitMix64.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + (b + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Images that are changed when they are read, and their labels. Each change draws from a generator
/// of its own, which depends on the seed of the epoch and the image, but not on the thread.
struct AugmentedImages {
  Tensor images, labels;
  Run::Augment augment;
  std::function<std::uint64_t()> epoch_seed;
  std::int64_t size() const { return labels.size(0); }
  std::pair<Tensor, Tensor> get(std::int64_t i) const {
    const taper::Generator generator(mix(epoch_seed(), static_cast<std::uint64_t>(i)));
    const taper::random::ThreadGenerator default_of_image(generator);
    return {augment(images[i]), labels[i]};
  }
};

}  // namespace

Tensor compute_outputs(taper::nn::Module& net, const Tensor& images) {
  constexpr std::int64_t kBatchSize = 1000;
  const taper::NoGrad guard;
  net.eval();
  const std::int64_t count = images.size(0);
  if (count <= kBatchSize) return check_outputs(net, net.call({images}), count);
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < count; i += kBatchSize) {
    const std::int64_t n = std::min(kBatchSize, count - i);
    parts.push_back(check_outputs(net, net.call({images.narrow(0, i, n)}), n));
  }
  return taper::cat(parts);
}

Run::Run(const Settings& settings, Examples examples, const MakeNet& make_net)
    : settings_(settings),
      examples_(std::move(examples)),
      task_(examples_.train_labels),
      train_variance_(variance_of(examples_.train_labels)),
      test_variance_(variance_of(examples_.test_labels)) {
  taper::manual_seed(static_cast<std::uint64_t>(settings_.seed));
  initialize(make_net);
}

void Run::initialize(const MakeNet& make_net) {
  net_ = make_net();
  optimization_ =
      std::make_unique<Optimization>(settings_, net_->parameters(), batches_per_epoch());
  trainer_ = std::make_unique<taper::train::Trainer>(
      *net_, optimization_->optimizers(),
      taper::train::TrainerOptions{
          .epochs = settings_.epochs,
          .autocast = autocast_of(settings_),
          .grad_scaler = settings_.precision == "float16"
                             ? std::optional<taper::amp::GradScalerOptions>(std::in_place)
                             : std::nullopt,
          .schedulers = optimization_->schedulers_per_epoch(),
          .step_schedulers = optimization_->schedulers_per_batch(),
          .monitor = "test_loss",
          .progress = false});
  trainer_->on_step([this](const taper::train::StepResult& step) { finish_step(step); });
  trainer_->on_epoch([this](const taper::train::EpochResult& epoch) { finish_epoch(epoch); });
}

void Run::set_epochs(std::int64_t epochs) {
  if (settings_.schedule == "OneCycleLR" && epochs > settings_.epochs)
    taper::fail<taper::ValueError>(
        "epochs: the schedule OneCycleLR of the run ends after epoch {}, got {}", settings_.epochs,
        epochs);
  settings_.epochs = epochs;
  trainer_->set_epochs(epochs);
}

std::int64_t Run::batches_per_epoch() const {
  return (examples_.train_count() + settings_.batch - 1) / settings_.batch;
}

void Run::set_augmentation(Augment augment, int workers) {
  augment_ = std::move(augment), workers_ = workers;
}

bool Run::run(const AfterBatch& after_batch, const AfterEpoch& after_epoch) {
  after_batch_ = after_batch, after_epoch_ = after_epoch;
  is_first_evaluation_ = true;
  std::vector<std::int64_t> all(static_cast<std::size_t>(examples_.train_count()));
  std::iota(all.begin(), all.end(), 0);
  taper::data::DataLoaderOptions options{.batch_size = settings_.batch};
  options.sampler = std::make_shared<taper::data::SubsetRandomSampler>(std::move(all),
                                                                       taper::default_generator());
  options.generator.emplace();  // the default generator is for weights and orders only
  const auto fit = [&](auto loader) {
    return trainer_->fit(
        loader,
        [this](const auto& batch) {
          const auto& [images, labels] = batch;
          return batch_loss(images, labels);
        },
        [this] { return evaluate(); });
  };
  const Tensor &images = examples_.train_images, &labels = examples_.train_labels;
  if (augment_) options.num_workers = workers_;
  // Threads read within the loop over the batches of an epoch, in which the number is constant.
  const auto epoch_seed = [this] {
    return mix(static_cast<std::uint64_t>(settings_.seed), static_cast<std::uint64_t>(epoch()));
  };
  const AugmentedImages augmented{images, labels, augment_, epoch_seed};
  const auto result =
      augment_ ? fit(taper::data::DataLoader(augmented, options))
               : fit(taper::data::DataLoader(taper::data::TensorDataset(images, labels), options));
  return result == taper::train::FitResult::finished;
}

Tensor Run::batch_loss(const Tensor& images, const Tensor& labels) {
  const Tensor output = check_outputs(*net_, net_->call({images}), images.size(0));
  if (is_first_evaluation_) {
    step_score_ = task_.sum_of_scores(output.detach(), labels, train_variance_);
    step_seen_ = labels.size(0);
  }
  is_first_evaluation_ = false;
  return task_.loss(output, labels);
}

void Run::finish_step(const taper::train::StepResult& step) {
  is_first_evaluation_ = true;
  last_step_ = step;
  sums_.loss += step.loss, sums_.seconds += step.seconds;
  sums_.score += step_score_, sums_.seen += step_seen_;
  if (after_batch_ && after_batch_(step.loss)) trainer_->stop();
}

taper::Value Run::evaluate() {
  const Tensor output = predict(examples_.test_images), labels = examples_.test_labels;
  const double score = task_.sum_of_scores(output, labels, test_variance_);
  return taper::Value::dict({{"train_score", sums_.score / static_cast<double>(sums_.seen)},
                             {"test_loss", task_.loss(output, labels)},
                             {"test_score", score / static_cast<double>(examples_.test_count())}});
}

void Run::finish_epoch(const taper::train::EpochResult& epoch) {
  const auto number = [&](const char* name) { return epoch.metrics[name].as_double(); };
  history_.push_back({.train_loss = number("train_loss"),
                      .train_score = number("train_score"),
                      .test_loss = number("test_loss"),
                      .test_score = number("test_score"),
                      .seconds = epoch.seconds});
  sums_ = {};
  if (after_epoch_) after_epoch_(history_.back());
}

Tensor Run::predict(const Tensor& images) { return compute_outputs(*net_, images); }

}  // namespace training
