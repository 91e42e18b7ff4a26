// RunState: progress of a training run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper::train {

/// States of generators, in the order of TrainerGenerators. The entry of a loader without a
/// generator is empty.
using GeneratorStates = std::vector<std::vector<std::uint8_t>>;

struct BestFile {
  double value = 0;    ///< of the monitored metric
  std::string name{};  ///< in the folder of the checkpoints
};

struct RunState {
  std::int64_t epoch = 0;  ///< completed epochs
  std::int64_t batch = 0;  ///< completed batches of the current epoch
  std::int64_t step = 0;   ///< completed steps
  // Of the current epoch.
  double loss_sum = 0, seconds = 0;
  GeneratorStates epoch_generators{};  ///< at the start of the epoch; empty between epochs

  std::vector<Value> history{};  ///< metrics of the completed epochs
  std::optional<double> best{};  ///< of the monitored metric
  // Of early stopping.
  std::optional<double> patience_best{};
  std::int64_t epochs_without_improvement = 0;
  bool is_early_stopped = false;

  std::vector<BestFile> best_files{};  ///< from best to worst

  Value to_value() const;
  /// Throws Error if the value is not a dict that `to_value` returned.
  static RunState from_value(const Value& value);
};

Value to_value(const GeneratorStates& states);
GeneratorStates generator_states(const Value& value);

}  // namespace taper::train
