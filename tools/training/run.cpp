#include "run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/check.h"
#include "progress.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/nn/functional.h"

namespace training {

using taper::Tensor;
namespace F = taper::F;

namespace {

std::int64_t count_correct(const Tensor& output, const Tensor& labels) {
  return output.argmax(1).eq(labels).sum().item<std::int64_t>();
}

/// Returns `output`, the output of a network for `count` images. Throws ShapeError if it is not a
/// floating-point tensor of shape (count, classes).
Tensor check_scores(const taper::nn::Module& net, const taper::Value& output, std::int64_t count) {
  const bool fits = output.is_tensor() && output.as_tensor().dim() == 2 &&
                    output.as_tensor().size(0) == count && output.as_tensor().is_floating_point();
  if (!fits)
    taper::fail<taper::ShapeError>(
        "{}: expected scores of shape ({}, classes) for {} images, got {}", net.type_name(), count,
        count, output.is_tensor() ? output.as_tensor().shape().str() : output.type_name());
  return output.as_tensor();
}

bool are_log_probabilities(const Tensor& output) {
  constexpr double kTolerance = 1e-3;
  const Tensor rows = output.detach().to(taper::DType::f64).contiguous();
  const auto values = rows.data<double>();
  const auto classes = static_cast<std::size_t>(rows.size(1));
  for (std::size_t i = 0; i < values.size(); i += classes) {
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(values[i + k]);
    if (!(std::abs(sum - 1) < kTolerance)) return false;
  }
  return true;
}

}  // namespace

Tensor compute_outputs(taper::nn::Module& net, const Tensor& images) {
  constexpr std::int64_t kBatchSize = 1000;
  const taper::NoGrad guard;
  net.eval();
  const std::int64_t count = images.size(0);
  if (count <= kBatchSize) return check_scores(net, net.call({images}), count);
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < count; i += kBatchSize) {
    const std::int64_t n = std::min(kBatchSize, count - i);
    parts.push_back(check_scores(net, net.call({images.narrow(0, i, n)}), n));
  }
  return taper::cat(parts);
}

Run::Run(const Settings& settings, Examples examples, const MakeNet& make_net)
    : settings_(settings), examples_(std::move(examples)) {
  taper::manual_seed(static_cast<std::uint64_t>(settings_.seed));
  initialize(make_net);
}

void Run::initialize(const MakeNet& make_net) {
  net_ = make_net();
  optimization_ =
      std::make_unique<Optimization>(settings_, net_->parameters(), batches_per_epoch());
}

void Run::set_epochs(std::int64_t epochs) {
  if (settings_.schedule == "OneCycleLR" && epochs > settings_.epochs)
    taper::fail<taper::ValueError>(
        "epochs: the schedule OneCycleLR of the run ends after epoch {}, got {}", settings_.epochs,
        epochs);
  settings_.epochs = epochs;
}

std::int64_t Run::batches_per_epoch() const {
  return (examples_.train_count() + settings_.batch - 1) / settings_.batch;
}

bool Run::run(const AfterBatch& after_batch, const AfterEpoch& after_epoch) {
  while (epoch() < settings_.epochs) {
    if (!run_epoch(after_batch)) return false;
    history_.push_back(evaluate());
    optimization_->finish_epoch(history_.back().test_loss);
    sums_ = {};
    order_.clear();
    if (after_epoch) after_epoch(history_.back());
  }
  return true;
}

bool Run::run_epoch(const AfterBatch& after_batch) {
  if (order_.empty()) {
    const Tensor permutation = taper::randperm(examples_.train_count());
    const auto indices = permutation.data<std::int64_t>();
    order_.assign(indices.begin(), indices.end());
  }
  net_->train();
  const std::int64_t done = std::min(examples_.train_count(), sums_.batches * settings_.batch);
  taper::data::DataLoader loader(
      taper::data::TensorDataset(examples_.train_images, examples_.train_labels),
      {.batch_size = settings_.batch,
       .sampler = std::make_shared<taper::data::FixedOrderSampler>(
           std::vector<std::int64_t>(order_.begin() + done, order_.end())),
       .generator = taper::Generator()});  // the default generator is for weights and orders only
  double before = steady_seconds();
  for (auto& [images, labels] : loader) {
    const double loss = train_batch(images, labels);
    const double after = steady_seconds();
    sums_.seconds += after - before;
    before = after;
    if (after_batch && after_batch(loss)) return false;
  }
  return true;
}

double Run::train_batch(const Tensor& images, const Tensor& labels) {
  Tensor output;  // of the first evaluation, from which the step starts
  const Tensor loss = optimization_->step([&] {
    optimization_->zero_grad();
    const Tensor evaluated = check_scores(*net_, net_->call({images}), images.size(0));
    const Tensor value = loss_of(evaluated, labels);
    value.backward();
    if (!output.defined()) output = evaluated.detach();
    return value;
  });
  sums_.loss += loss.item<double>();
  sums_.correct += count_correct(output, labels);
  sums_.seen += labels.size(0);
  ++sums_.batches;
  return loss.item<double>();
}

EpochResult Run::evaluate() {
  const Tensor output = predict(examples_.test_images), labels = examples_.test_labels;
  EpochResult r;
  r.train_loss = sums_.loss / static_cast<double>(sums_.batches);
  r.train_accuracy = static_cast<double>(sums_.correct) / static_cast<double>(sums_.seen);
  r.seconds = sums_.seconds;
  r.test_loss = loss_of(output, labels).item<double>();
  r.test_correct = count_correct(output, labels);
  r.test_accuracy =
      static_cast<double>(r.test_correct) / static_cast<double>(examples_.test_count());
  return r;
}

Tensor Run::loss_of(const Tensor& output, const Tensor& labels) {
  if (output_kind_ == OutputKind::unknown)
    output_kind_ =
        are_log_probabilities(output) ? OutputKind::log_probabilities : OutputKind::scores;
  return output_kind_ == OutputKind::scores ? F::cross_entropy(output, labels)
                                            : F::nll_loss(output, labels);
}

Tensor Run::predict(const Tensor& images) { return compute_outputs(*net_, images); }

}  // namespace training
