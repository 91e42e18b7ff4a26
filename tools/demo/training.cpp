#include "training.h"

#include <chrono>

#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace demo {

using taper::Tensor;
namespace F = taper::F;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::int64_t count_correct(const Tensor& output, const Tensor& labels) {
  return output.argmax(1).eq(labels).sum().item<std::int64_t>();
}

}  // namespace

Training::Training(const Settings& settings, const Digits& digits)
    : settings_(settings), digits_(digits) {
  taper::manual_seed(static_cast<std::uint64_t>(settings_.seed));
  start();
}

void Training::start() {
  net_ = std::make_unique<lenet::LeNet>();
  optimizer_ = std::make_unique<taper::optim::SGD>(
      net_->parameters(), taper::optim::SGDOptions{.lr = settings_.lr,
                                                   .momentum = settings_.momentum,
                                                   .weight_decay = settings_.weight_decay});
}

std::int64_t Training::batches_per_epoch() const {
  return (Digits::kTrain + settings_.batch - 1) / settings_.batch;
}

bool Training::run(const AfterBatch& after_batch, const AfterEpoch& after_epoch) {
  while (epoch() < settings_.epochs) {
    if (!run_epoch(after_batch)) return false;
    history_.push_back(evaluate());
    sums_ = {};
    order_.clear();
    if (after_epoch) after_epoch(history_.back());
  }
  return true;
}

bool Training::run_epoch(const AfterBatch& after_batch) {
  if (order_.empty()) {
    const Tensor drawn = taper::randperm(Digits::kTrain);
    const auto indices = drawn.data<std::int64_t>();
    order_.assign(indices.begin(), indices.end());
  }
  net_->train();
  const std::int64_t done = std::min(Digits::kTrain, sums_.batches * settings_.batch);
  taper::data::DataLoader loader(
      taper::data::TensorDataset(digits_.train_images(), digits_.train_labels()),
      {.batch_size = settings_.batch,
       .sampler = std::make_shared<taper::data::OrderSampler>(
           std::vector<std::int64_t>(order_.begin() + done, order_.end())),
       .generator = taper::Generator()});  // the default one draws weights and orders only
  double before = now();
  for (auto& [images, labels] : loader) {
    const double loss = train_on(images, labels);
    const double after = now();
    sums_.seconds += after - before;
    before = after;
    if (after_batch && after_batch(loss)) return false;
  }
  return true;
}

double Training::train_on(const Tensor& images, const Tensor& labels) {
  optimizer_->zero_grad();
  const Tensor output = (*net_)(images);
  const Tensor loss = F::nll_loss(output, labels);
  loss.backward();
  optimizer_->step();
  sums_.loss += loss.item<double>();
  sums_.correct += count_correct(output.detach(), labels);
  sums_.seen += labels.size(0);
  ++sums_.batches;
  return loss.item<double>();
}

EpochResult Training::evaluate() {
  const Tensor output = predict(digits_.test_images()), labels = digits_.test_labels();
  EpochResult r;
  r.train_loss = sums_.loss / static_cast<double>(sums_.batches);
  r.train_accuracy = static_cast<double>(sums_.correct) / static_cast<double>(sums_.seen);
  r.seconds = sums_.seconds;
  r.test_loss = F::nll_loss(output, labels).item<double>();
  r.test_correct = count_correct(output, labels);
  r.test_accuracy = static_cast<double>(r.test_correct) / static_cast<double>(digits_.test_count());
  return r;
}

Tensor Training::predict(const Tensor& images) {
  const taper::NoGrad guard;
  net_->eval();
  return (*net_)(images);
}

}  // namespace demo
