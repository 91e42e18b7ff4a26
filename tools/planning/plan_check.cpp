#include "plan_check.h"

#include <optional>

#include "shard_units.h"
#include "stopwatch.h"
#include "taper/core/factory.h"
#include "taper/dist/dist.h"
#include "taper/nn/module.h"

namespace planning {
namespace {

namespace distributed = taper::distributed;

constexpr Training kTrainings[] = {Training::ddp, Training::zero, Training::fully_shard,
                                   Training::fully_shard_prefetch};
constexpr int kWarmupSteps = 3;  // buckets are rebuilt after the first step

/// A network that is trained in one of the ways.
class TrainingSession {
 public:
  TrainingSession(Training training, const CheckOptions& options, const RecordedStep& step)
      : module_(options.make_module()), inputs_(options.inputs) {
    if (training == Training::ddp || training == Training::zero) {
      ddp_.emplace(*module_);
    } else {
      const std::vector<UnitModule> units = find_units(*module_, options.unit_patterns);
      shard_units(units);
      if (training == Training::fully_shard_prefetch) prefetch_units(units, step.forward_order());
    }
    std::vector<taper::Tensor> params;
    for (const taper::Tensor& p : module_->parameters())
      if (p.requires_grad()) params.push_back(p);
    if (training == Training::zero)
      optimizer_ = std::make_unique<distributed::ZeroRedundancyOptimizer>(
          params,
          [&](taper::optim::Params mine) { return options.make_optimizer(std::move(mine)); });
    else
      optimizer_ = options.make_optimizer(params);
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

/// Replaces each time by that of the rank that takes longest, for which the others wait.
void set_to_slowest(RecordedStep& step) {
  const std::vector<double*> times = step.times();
  std::vector<double> values;
  for (const double* const time : times) values.push_back(*time);
  const taper::Tensor all = taper::tensor(values);
  distributed::all_reduce(all, {.op = distributed::ReduceOp::max});
  for (std::size_t i = 0; i < times.size(); ++i) *times[i] = all.data<double>()[i];
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
