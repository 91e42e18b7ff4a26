// The step of a training run.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "core/add_to.h"
#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/ops/pointwise.h"
#include "train/trainer/non_finite.h"
#include "train/trainer/trainer_impl.h"

namespace taper::train::detail {
namespace {

/// Losses and gradients of the batches of a step.
class Step {
 public:
  Step(TrainerImpl& trainer, std::vector<AnyBatch> batches)
      : trainer_(trainer),
        options_(trainer.options),
        batches_(std::move(batches)),
        guards_(options_.detect_anomaly && !trainer.scaler) {}

  void run() {
    if (trainer_.scaler) {
      static_cast<void>(compute_gradients());
      for (optim::Optimizer* o : trainer_.optimizers) trainer_.scaler->unscale_(*o);
      finish_evaluation();
      for (optim::Optimizer* o : trainer_.optimizers) trainer_.scaler->step(*o);
      trainer_.scaler->update();
      return;
    }
    trainer_.optimizers[0]->step([this]() -> Tensor {
      const Tensor loss = compute_gradients();
      finish_evaluation();
      return loss;
    });
    for (std::size_t i = 1; i < trainer_.optimizers.size(); ++i) trainer_.optimizers[i]->step();
  }

  // Of the first evaluation, which the step starts from.
  double loss_sum() const { return loss_sum_.own; }
  double mean_loss_sum() const { return loss_sum_.mean; }
  double grad_norm() const { return grad_norm_; }

 private:
  /// Value of a loss on this rank, and its mean over all ranks.
  struct LossValue {
    double own = 0, mean = 0;
  };

  /// Returns the loss of the step. Computes its gradients.
  Tensor compute_gradients() {
    for (optim::Optimizer* o : trainer_.optimizers) o->zero_grad();
    LossValue sum;
    Tensor total;
    for (const AnyBatch& batch : batches_) {
      const auto generator = guards_ ? get_rng_state() : std::vector<std::uint8_t>();
      Tensor loss;
      const LossValue value = evaluate(batch, loss, generator);
      sum.own += value.own;
      sum.mean += value.mean;
      if (options_.accumulate > 1) loss = loss / options_.accumulate;
      add_to(total, loss.detach());
      (trainer_.scaler ? trainer_.scaler->scale(loss) : loss).backward();
    }
    if (is_first_) loss_sum_ = sum;
    // Optimizers that evaluate the loss repeatedly must decide the same on all ranks.
    if (!trainer_.ranks().are_alone())
      total = full_like(total, sum.mean / static_cast<double>(options_.accumulate));
    return total;
  }

  /// Computes the loss of a batch on all ranks.
  LossValue evaluate(const AnyBatch& batch, Tensor& loss,
                     const std::vector<std::uint8_t>& generator) {
    LossValue value;
    const auto compute = [&] {
      loss = loss_of(batch);
      value.own = loss.item<double>();
    };
    const Ranks ranks = trainer_.ranks();
    bool is_finite = true;
    if (ranks.are_alone()) {
      compute();
      value.mean = value.own;
      is_finite = std::isfinite(value.own);
    } else {
      // Before backward, in which ranks would wait for one that fails here.
      const std::exception_ptr error = error_of(compute);
      double sums[] = {value.own, std::isfinite(value.own) ? 0.0 : 1.0};
      ranks.sum(sums, error);
      value.mean = sums[0] / ranks.size();
      is_finite = sums[1] == 0;
    }
    if (is_first_ && guards_ && !is_finite) reject(batch, value.own, generator);
    return value;
  }

  Tensor loss_of(const AnyBatch& batch) const {
    std::optional<amp::Autocast> autocast;
    if (options_.autocast) autocast.emplace(*options_.autocast);
    Tensor loss = batch.loss();
    if (!loss.defined() || loss.numel() != 1)
      fail<ValueError>("Trainer: expected a loss of one element, got {}",
                       loss.defined() ? "shape " + loss.shape().str() : "an undefined tensor");
    return loss;
  }

  /// Clips the gradients of an evaluation and ends it.
  void finish_evaluation() {
    if (options_.clip_grad_norm || options_.clip_grad_value) clip_gradients();
    is_first_ = false;
    trainer_.phase = TrainerImpl::Phase::updating;
  }

  void clip_gradients() {
    const std::vector<Tensor> parameters = trainer_.module.parameters();
    if (options_.clip_grad_norm) {
      const Tensor norm = total_grad_norm(parameters);
      const double value = norm.item<double>();
      if (is_first_) grad_norm_ = value;
      if (is_first_ && guards_ && !std::isfinite(value)) reject_gradients(value);
      nn::utils::clip_grads_with_norm_(parameters, *options_.clip_grad_norm, norm);
    }
    if (options_.clip_grad_value)
      nn::utils::clip_grad_value_(parameters, *options_.clip_grad_value);
  }

  Tensor total_grad_norm(const std::vector<Tensor>& parameters) const {
    if (const RankExchange* const exchange = trainer_.ranks().exchange())
      return exchange->grad_norm(trainer_.module, trainer_.optimizers);
    std::vector<Tensor> gradients;
    for (const Tensor& p : parameters)
      if (p.grad().defined()) gradients.push_back(p.grad());
    return nn::utils::get_total_norm(gradients);
  }

  std::string place() const {
    return fmt::format("epoch {} after batch {} (step {})", trainer_.state.epoch + 1,
                       trainer_.state.batch, trainer_.state.step + 1);
  }

  /// Throws on all ranks, of which at least one has a loss that is not finite.
  void reject(const AnyBatch& batch, double loss, const std::vector<std::uint8_t>& generator) {
    set_rng_state(generator);  // the same dropout masks are drawn
    // On all ranks, since the call of a module may be collective.
    const std::string origin = describe_first_non_finite(
        trainer_.module, [&] { return loss_of(batch); }, !trainer_.ranks().are_alone());
    trainer_.ranks().call([&] {
      if (!std::isfinite(loss))
        fail<NonFiniteError>("Trainer: the loss is {} in {}: {}",
                             std::isnan(loss) ? std::abs(loss) : loss, place(), origin);
    });
  }
  /// Throws on all ranks, which have the same norm.
  [[noreturn]] void reject_gradients(double norm) {
    std::string name;  // of the first rank that has such a gradient
    const Values names = trainer_.ranks().all_gather(find_non_finite_gradient(trainer_.module));
    for (const Value& found : names)
      if (name.empty()) name = found.as_string();
    fail<NonFiniteError>(
        "Trainer: the norm of the gradients is {} in {}; {}",
        std::isnan(norm) ? std::abs(norm) : norm, place(),
        name.empty() ? "each of their elements is finite" : "that of '" + name + "' is not finite");
  }

  TrainerImpl& trainer_;
  const TrainerOptions& options_;
  std::vector<AnyBatch> batches_;
  bool guards_, is_first_ = true;
  LossValue loss_sum_;
  double grad_norm_ = std::numeric_limits<double>::quiet_NaN();
};

std::vector<double> learning_rates(const std::vector<optim::Optimizer*>& optimizers) {
  std::vector<double> rates;
  for (const optim::Optimizer* o : optimizers)
    for (const optim::ParamGroup& group : o->param_groups()) {
      const Value rate = group["lr"];
      rates.push_back(rate.is_tensor() ? rate.as_tensor().item<double>() : rate.as_double());
    }
  return rates;
}

}  // namespace

std::vector<AnyBatch> TrainerImpl::read_batches(const NextBatch& next) const {
  std::vector<AnyBatch> group;
  const auto read = [&] {
    while (static_cast<std::int64_t>(group.size()) < options.accumulate) {
      std::optional<AnyBatch> batch = next();
      if (!batch) break;
      group.push_back(*std::move(batch));
    }
  };
  if (ranks().are_alone())
    read();
  else
    check_batches(error_of(read), group);
  return group;
}

bool TrainerImpl::take_step(const NextBatch& next, std::int64_t batches) {
  const auto start = std::chrono::steady_clock::now();
  begin_step();
  std::vector<AnyBatch> group = read_batches(next);
  std::int64_t samples = 0;
  for (const AnyBatch& batch : group) samples += batch.samples;
  const auto count = static_cast<std::int64_t>(group.size());
  if (count == 0) return false;

  StepResult result{.learning_rates = learning_rates(optimizers)};
  Step step(*this, std::move(group));
  step.run();
  if (ema) ema->update_parameters(module);
  for (const auto& scheduler : options.step_schedulers) scheduler->step();

  state.batch += count;
  state.step += 1;
  state.loss_sum += step.mean_loss_sum();
  phase = Phase::complete;
  has_unsaved_steps = true;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  state.seconds += result.seconds;
  result.epoch = state.epoch + 1;
  result.batch = state.batch, result.batches = batches;
  result.step = state.step;
  result.samples = samples;
  result.loss = step.loss_sum() / static_cast<double>(count);
  result.grad_norm = step.grad_norm();
  if (bar) bar->update(samples, {{"loss", state.loss_sum / static_cast<double>(state.batch)}});
  for (const auto& callback : step_callbacks) callback(result);
  return true;
}

}  // namespace taper::train::detail
