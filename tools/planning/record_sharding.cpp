#include <algorithm>

#include "recorded_step.h"
#include "shard_units.h"
#include "stopwatch.h"
#include "taper/dist/init.h"
#include "taper/nn/module.h"

namespace planning {
namespace {

/// Training of a copy of a module, with the seconds of its passes.
struct PassTimes {
  std::shared_ptr<taper::nn::Module> module;
  std::unique_ptr<taper::optim::Optimizer> optimizer{};
  std::vector<double> forward{}, backward{};

  void create_optimizer(const OptimizerFactory& factory) {
    std::vector<taper::Tensor> trainable;
    for (const taper::Tensor& p : module->parameters())
      if (p.requires_grad()) trainable.push_back(p);
    optimizer = factory(trainable);
  }
  void step(const taper::Values& inputs) {
    optimizer->zero_grad();
    Stopwatch clock;
    const taper::Tensor loss = sum_of_outputs(*module, module->call(inputs));
    forward.push_back(clock.seconds());
    clock.start();
    loss.backward();
    backward.push_back(clock.seconds());
    optimizer->step();
  }
};

}  // namespace

void record_sharding(RecordedStep& step, const taper::nn::Module& module,
                     const taper::Values& inputs, const OptimizerFactory& factory,
                     const RecordOptions& options) {
  PassTimes plain{module.clone_shared()}, sharded{module.clone_shared()};
  taper::distributed::spawn_threads(1, [&](int) {
    taper::distributed::init_process_group();
    shard_units(find_units(*sharded.module, options.unit_patterns));
    for (PassTimes* const each : {&plain, &sharded}) {
      each->create_optimizer(factory);
      for (int i = 0; i < options.warmup; ++i) each->step(inputs);
      each->forward.clear(), each->backward.clear();
    }
    for (int i = 0; i < options.repetitions; ++i) {
      plain.step(inputs);
      sharded.step(inputs);
    }
    sharded.module = nullptr;  // its units refer to the group
    taper::distributed::destroy_process_group();
  });
  const auto added = [&](const std::vector<double>& with, const std::vector<double>& without) {
    return std::max(0.0, median_of(with) - median_of(without)) /
           static_cast<double>(step.parameter_bytes());
  };
  step.shard_forward = added(sharded.forward, plain.forward);
  step.shard_backward = added(sharded.backward, plain.backward);
}

}  // namespace planning
