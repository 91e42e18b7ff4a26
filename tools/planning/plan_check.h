// Comparison of predicted and measured training steps of the running job.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "network.h"
#include "recorded_step.h"
#include "simulation.h"

namespace planning {

/// Training of a network on all ranks of the default group.
struct CheckOptions {
  std::function<std::shared_ptr<taper::nn::Module>()> make_module{};
  taper::Values inputs{};
  OptimizerFactory make_optimizer{};
  std::vector<std::string> unit_patterns{};  ///< see find_units
  /// Algorithm of the engine.
  Algorithm algorithm = Algorithm::ring;
  int rounds = 5, steps = 3;
};

struct CheckedTraining {
  Training training;
  Prediction prediction;
  double measured = 0;  ///< median of the seconds of a step, the mean over ranks
};

struct CheckResult {
  RecordedStep step{};  ///< medians of steps, in each of which the slowest rank counts
  Network network{};
  std::vector<CheckedTraining> trainings{};
};

/// Measures the network and, in alternating rounds, the step of one process on all ranks at the
/// same time and the steps of all kinds of training, and predicts these. Collective.
CheckResult check_predictions(const CheckOptions& options);

}  // namespace planning
