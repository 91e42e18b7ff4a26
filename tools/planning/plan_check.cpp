#include "plan_check.h"

#include <algorithm>
#include <optional>

#include "shard_units.h"
#include "stopwatch.h"
#include "taper/core/factory.h"
#include "taper/dist/dist.h"
#include "taper/nn/module.h"

namespace planning {
namespace {

namespace distributed = taper::distributed;

constexpr int kWarmupSteps = 3;  // buckets are rebuilt after the first step

/// A network that is trained in one of the ways.
class TrainingSession {
 public:
  TrainingSession(Training training, const CheckOptions& options, const RecordedStep& step)
      : module_(options.make_module()), inputs_(options.inputs) {
    const bool is_zero = training == Training::zero || training == Training::zero_gradients;
    if (training == Training::ddp || is_zero) {
      ddp_.emplace(*module_);
    } else {
      const std::vector<UnitModule> units = find_units(*module_, options.unit_patterns);
      shard_units(units);
      if (training == Training::fully_shard_prefetch) prefetch_units(units, step.forward_order());
    }
    std::vector<taper::Tensor> params;
    for (const taper::Tensor& p : module_->parameters())
      if (p.requires_grad()) params.push_back(p);
    if (is_zero) {
      auto zero = std::make_unique<distributed::ZeroRedundancyOptimizer>(
          params,
          [&](taper::optim::Params mine) { return options.make_optimizer(std::move(mine)); });
      if (training == Training::zero_gradients) zero->shard_gradients(*ddp_);
      optimizer_ = std::move(zero);
    } else {
      optimizer_ = options.make_optimizer(params);
    }
    for (int i = 0; i < kWarmupSteps; ++i) step_seconds();
  }

  /// Performs a step and returns its time.
  double step_seconds() {
    optimizer_->zero_grad();
    distributed::barrier();
    const Stopwatch clock;
    sum_of_outputs(*module_, module_->call(inputs_)).backward();
    optimizer_->step();
    return clock.seconds();
  }

 private:
  std::shared_ptr<taper::nn::Module> module_;
  taper::Values inputs_;
  std::optional<distributed::DistributedDataParallel> ddp_;
  std::unique_ptr<taper::optim::Optimizer> optimizer_;
};

/// Returns the times of the units in a pass as sums of the parts between consecutive times, each of
/// the rank that takes longest: with fully_shard, ranks wait for each other at each of them.
std::vector<double> slowest_parts(const std::vector<double*>& times) {
  std::vector<double> own;
  for (const double* const time : times) own.push_back(*time);
  const auto count = static_cast<std::int64_t>(own.size());
  const taper::Tensor all =
      taper::empty({distributed::get_world_size(), count}, {.dtype = taper::float64});
  distributed::all_gather_into_tensor(all, taper::tensor(own).unsqueeze(0));
  const taper::Tensor mean = all.mean(0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i] >= 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return mean.data<double>()[a] < mean.data<double>()[b];
  });
  const auto values = all.data<double>();
  std::vector<double> sums = own;
  double sum = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    double slowest = 0;
    for (std::size_t row = 0; row < values.size(); row += own.size())
      slowest =
          std::max(slowest, values[row + order[k]] - (k > 0 ? values[row + order[k - 1]] : 0));
    sums[order[k]] = sum += slowest;
  }
  return sums;
}

/// Replaces each time by that of the rank that takes longest, for which the others wait.
void set_to_slowest(RecordedStep& step) {
  const std::vector<double*> forward = step.unit_times(true), backward = step.unit_times(false);
  const std::vector<double> forward_parts = slowest_parts(forward);
  const std::vector<double> backward_parts = slowest_parts(backward);
  const std::vector<double*> times = step.times();
  std::vector<double> values;
  for (const double* const time : times) values.push_back(*time);
  const taper::Tensor all = taper::tensor(values);
  distributed::all_reduce(all, {.op = distributed::ReduceOp::max});
  for (std::size_t i = 0; i < times.size(); ++i) *times[i] = all.data<double>()[i];
  for (std::size_t i = 0; i < forward.size(); ++i) {
    *forward[i] = forward_parts[i];
    *backward[i] = backward_parts[i];
  }
}

}  // namespace

CheckResult check_predictions(const CheckOptions& options) {
  const auto module = options.make_module();
  const RecordOptions how{.unit_patterns = options.unit_patterns,
                          .repetitions = options.steps,
                          .before_step = [] { distributed::barrier(); },
                          .after_step = set_to_slowest};
  const auto record = [&] {
    distributed::barrier();
    return record_step(*module, options.inputs, options.make_optimizer, how);
  };
  const RecordedStep first = record();
  std::vector<std::unique_ptr<TrainingSession>> sessions;
  for (const Training training : kTrainings)
    sessions.push_back(std::make_unique<TrainingSession>(training, options, first));
  std::vector<RecordedStep> recordings;
  std::vector<std::vector<double>> measured(sessions.size());
  for (int round = 0; round < options.rounds; ++round) {
    recordings.push_back(record());
    for (std::size_t i = 0; i < sessions.size(); ++i)
      for (int k = 0; k < options.steps; ++k) measured[i].push_back(sessions[i]->step_seconds());
  }
  CheckResult result{.step = median_of(std::move(recordings))};
  set_to_slowest(result.step);  // its sharding was measured by each rank
  Cluster cluster{.ranks = distributed::get_world_size(), .algorithm = options.algorithm};
  result.network = measure_network(cluster);
  cluster.network = cluster.inside = result.network.link;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const SimulationOptions overlap{.rates = result.network.rates};
    result.trainings.push_back(
        {.training = kTrainings[i],
         .prediction = simulate(kTrainings[i], result.step, cluster, overlap),
         .measured = mean_over_ranks(median_of(std::move(measured[i])))});
  }
  return result;
}

}  // namespace planning
