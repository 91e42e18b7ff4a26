// RecordedStep: times and sizes of a training step of one process.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "taper/core/tensor.h"
#include "taper/nn/module_base.h"
#include "taper/optim/optimizer.h"

namespace planning {

/// A training step: forward, backward and the update of the parameters, one after the other. Times
/// are in seconds, those of forward after its start, those of backward after the start of backward.
struct RecordedStep {
  /// Trainable parameter, in the order of the module.
  struct Gradient {
    std::string name;
    taper::Tensor parameter;  ///< only its shape and dtype are used
    double ready = -1;        ///< in backward; negative: the step does not compute it
  };
  /// Module that fully_shard divides, see find_units.
  struct Unit {
    std::string path;  ///< empty for the network
    std::vector<taper::Tensor> parameters;
    /// Negative if the step does not execute the unit. Backward ends when the gradients of all
    /// parameters are ready.
    double forward_begin = -1, forward_end = -1, backward_begin = -1, backward_end = -1;

    std::int64_t bytes() const;
  };

  double forward = 0, backward = 0, update = 0;
  /// Passes of ranks that wait for each other at the begins and ends of the units, whose times are
  /// then the sums of the slowest parts. At least `forward` and `backward`.
  double unit_forward = 0, unit_backward = 0;
  double copy = 0;  ///< seconds per byte of copying gradients
  /// Seconds per byte of parameters that fully_shard adds to the passes of one process.
  double shard_forward = 0, shard_backward = 0;
  std::vector<Gradient> gradients{};
  std::vector<Unit> units{};  ///< the first is the network, with the parameters of no other unit
  std::vector<std::int64_t> buffer_bytes{};  ///< of the buffers of each dtype
  double state_per_byte = 0;  ///< bytes of optimizer state per byte of trainable parameters

  double seconds() const { return forward + backward + update; }
  std::int64_t parameter_bytes() const;
  std::int64_t gradient_bytes() const;
  /// Returns the indices of the units that the step calls, in the order of forward.
  std::vector<std::size_t> forward_order() const;
  /// Returns all times, for averages over several recordings of the same network.
  std::vector<double*> times();
  /// Returns the times of the units in a pass, with its duration as the last.
  std::vector<double*> unit_times(bool is_forward);
};

/// Creates the optimizer of a training step.
using OptimizerFactory =
    std::function<std::unique_ptr<taper::optim::Optimizer>(taper::optim::Params)>;

struct RecordOptions {
  std::vector<std::string> unit_patterns{};  ///< see find_units
  int warmup = 2, repetitions = 5;
  /// Called before and after each repetition; the second may change its times.
  std::function<void()> before_step{};
  std::function<void(RecordedStep&)> after_step{};
};

/// Returns the sum of all floating-point tensors in the result of a network, as the loss of a step.
/// Throws ValueError if none requires gradients.
taper::Tensor sum_of_outputs(const taper::nn::Module& module, const taper::Value& result);

/// Performs training steps of the module on `inputs` with the loss sum_of_outputs, and returns the
/// medians of their times. Parameters and buffers change, and gradients are removed at the end.
/// Throws ValueError if no result or no parameter requires gradients, and the errors of the module
/// and the optimizer.
RecordedStep record_step(taper::nn::Module& module, const taper::Values& inputs,
                         const OptimizerFactory& factory, const RecordOptions& options = {});

/// Measures the times that fully_shard adds on a group of one rank, in alternation with steps that
/// are not sharded. Both train copies of the module.
void record_sharding(RecordedStep& step, const taper::nn::Module& module,
                     const taper::Values& inputs, const OptimizerFactory& factory,
                     const RecordOptions& options = {});

/// Returns the median of each time of recordings of the same network.
RecordedStep median_of(std::vector<RecordedStep> steps);

}  // namespace planning
