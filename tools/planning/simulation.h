// Simulation of a training step on many ranks, from a step that was recorded in one process.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collective_cost.h"
#include "recorded_step.h"
#include "timeline.h"

namespace planning {

/// Predicted step of every rank.
struct Prediction {
  double seconds = 0;
  double communication = 0;  ///< seconds of collectives, overlapped with computation or not
  double efficiency = 0;     ///< time of the recorded step over that of the predicted one
  double bytes_sent = 0;     ///< by a rank, on average over ranks
  /// Bytes of a rank: parameters, gradients, optimizer state, and the buckets or gathered units
  /// that exist at the same time; of the rank with most of them. Activations are not included.
  double memory = 0;
};

struct SimulationOptions {
  /// Sizes of buckets in bytes, as those of DistributedDataParallel after they were rebuilt.
  std::vector<std::int64_t> bucket_limits{1 << 20, 25 << 20};
  /// Gathers the next unit of fully_shard while one computes.
  bool prefetch_forward = false, prefetch_backward = false;
  /// ZeroRedundancyOptimizer: reduces each gradient to the rank that updates the parameter.
  bool shard_gradients = false;
  OverlapRates rates{};
};

/// Simulate a step of a network with the batch of the recording on each rank. Ranks are as fast as
/// the recording and start together. Collectives run one after the other, while computation
/// proceeds. Copies to and from buffers take the recorded time per byte.
///
/// DistributedDataParallel: buffers are copied from rank 0; gradients are reduced in buckets in the
/// order of their arrival, each as soon as it is complete and the buckets before it have started.
/// ZeroRedundancyOptimizer: in addition, each rank updates its parameters, then sends them to the
/// others; sharded gradients are reduced in buckets of one rank each, and at most two reductions
/// are pending. fully_shard: parameters of a unit are gathered before its forward and backward
/// passes, and its gradients reduced and scattered at its end, which the next such call waits for.
/// Throw ValueError if the algorithm of the cluster does not support its ranks.
Prediction simulate_ddp(const RecordedStep& step, const Cluster& cluster,
                        const SimulationOptions& options = {});
Prediction simulate_zero(const RecordedStep& step, const Cluster& cluster,
                         const SimulationOptions& options = {});
Prediction simulate_fully_shard(const RecordedStep& step, const Cluster& cluster,
                                const SimulationOptions& options = {});

/// Kinds of training. `zero_gradients` shards gradients, too. fully_shard prefetches in backward;
/// the last kind also in forward.
enum class Training : std::uint8_t { ddp, zero, zero_gradients, fully_shard, fully_shard_prefetch };
inline constexpr std::array kTrainings = {Training::ddp, Training::zero, Training::zero_gradients,
                                          Training::fully_shard, Training::fully_shard_prefetch};
std::string_view name_of(Training training);
/// Simulates a kind of training. The options of prefetching and of sharded gradients are replaced
/// by those of the kind.
Prediction simulate(Training training, const RecordedStep& step, const Cluster& cluster,
                    SimulationOptions options = {});

/// Returns the prediction of a timeline at the end of the step.
Prediction prediction_of(const RecordedStep& step, const Timeline& timeline, double memory);

}  // namespace planning
