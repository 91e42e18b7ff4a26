// Simulated steps, compared with steps that were worked out by hand.
#include "simulation.h"

#include <gtest/gtest.h>

#include "taper/core/factory.h"

namespace planning {
namespace {

using taper::Tensor;

/// Parameter of `size` bytes.
Tensor parameter_of_bytes(std::int64_t size) {
  Tensor p = taper::empty({size / 4}, {.device = taper::Device("meta")});
  return p.requires_grad_();
}

/// With two ranks and one byte per second, an all_reduce or a broadcast of n bytes takes n seconds,
/// an all_gather or a reduce_scatter n / 2.
Cluster slow_pair() { return {.ranks = 2, .network = {0, 1}, .algorithm = Algorithm::ring}; }

/// Parameters of 8 and 12 bytes in units of their own. Forward takes 10 s: the first unit from 1 to
/// 4, the second one from 4 to 9. Backward takes 20 s: the second unit from 2 to 10, the first one
/// from 10 to 18. The update takes 5 s.
RecordedStep two_unit_step() {
  const Tensor a = parameter_of_bytes(8), b = parameter_of_bytes(16 - 4);
  RecordedStep step{.forward = 10, .backward = 20, .update = 5, .state_per_byte = 2};
  step.gradients = {{"a", a, 18}, {"b", b, 10}};
  step.units = {{"", {}, 0, 10, 0, -1}, {"0", {a}, 1, 4, 10, 18}, {"1", {b}, 4, 9, 2, 10}};
  return step;
}

/// The same with parameters of 8 and 16 bytes, which two ranks divide evenly.
RecordedStep even_step() {
  RecordedStep step = two_unit_step();
  const Tensor b = parameter_of_bytes(16);
  step.gradients[1].parameter = b;
  step.units[2].parameters = {b};
  return step;
}

TEST(Timeline, OverlapsCollectivesWithComputation) {
  Timeline t;
  t.compute(2);
  const double first = t.start({3, 30});
  t.start({4, 40});  // from 5 to 9
  t.compute(1);
  EXPECT_EQ(t.now(), 3);
  t.wait(first);
  EXPECT_EQ(t.now(), 5);
  t.compute(10);
  EXPECT_EQ(t.now(), 15);
  t.run({1, 10});
  EXPECT_EQ(t.now(), 16);
  EXPECT_EQ(t.communication(), 8);
  EXPECT_EQ(t.bytes(), 80);
}

TEST(Timeline, SlowsBothDown) {
  Timeline t({.computation = 0.5, .communication = 0.25});
  const double handle = t.start({2, 0});
  t.compute(1);  // 2 s, in which the collective completes 0.5 of 2 s
  EXPECT_EQ(t.now(), 2);
  t.wait(handle);
  EXPECT_EQ(t.now(), 3.5);
  t.start({1, 0});
  t.compute(3);  // 4 s until the collective is complete, then 1 s alone
  EXPECT_EQ(t.now(), 8.5);
  t.run({1, 0});
  EXPECT_EQ(t.now(), 9.5);
}

TEST(SimulateDDP, OverlapsBucketsWithBackward) {
  // The second gradient fills a bucket at 20 s, which is reduced until 32. The bucket of the first
  // one is complete at 28 and is reduced from 32 to 40.
  const Prediction p = simulate_ddp(two_unit_step(), slow_pair(), {.bucket_limits = {12, 100}});
  EXPECT_DOUBLE_EQ(p.seconds, 45);
  EXPECT_DOUBLE_EQ(p.communication, 20);
  EXPECT_DOUBLE_EQ(p.efficiency, 35.0 / 45);
  EXPECT_DOUBLE_EQ(p.bytes_sent, 20);
  EXPECT_DOUBLE_EQ(p.memory, 3 * 20 + 2 * 20);
  // In one bucket: from 28 to 48.
  EXPECT_DOUBLE_EQ(simulate_ddp(two_unit_step(), slow_pair(), {.bucket_limits = {100}}).seconds,
                   53);
}

TEST(SimulateDDP, ComputesMoreSlowlyDuringCollectives) {
  // Until 32, computation proceeds at half the rate: 6 of the 8 seconds up to the first gradient,
  // which is ready at 34 and reduced until 42.
  const SimulationOptions options{.bucket_limits = {12, 100}, .rates = {.computation = 0.5}};
  EXPECT_DOUBLE_EQ(simulate_ddp(two_unit_step(), slow_pair(), options).seconds, 47);
}

TEST(SimulateDDP, CopiesGradientsAndBuffers) {
  RecordedStep step = two_unit_step();
  step.copy = 0.25;
  step.buffer_bytes = {4};
  // Buffers: 2 s of copies and 4 s. The second gradient at 26, with copies of 6 s at 32; the
  // bucket until 44. The first gradient at 40, with copies of 4 s at 44; the bucket until 52,
  // while backward ends at 46 and the first bucket is copied until 49. The last one at 52 and 54.
  EXPECT_DOUBLE_EQ(simulate_ddp(step, slow_pair(), {.bucket_limits = {12, 100}}).seconds, 59);
}

TEST(SimulateDDP, ReducesParametersWithoutGradientsAtTheEnd) {
  RecordedStep step = two_unit_step();
  step.gradients[0].ready = -1;
  EXPECT_DOUBLE_EQ(simulate_ddp(step, slow_pair(), {.bucket_limits = {12, 100}}).seconds, 45);
  step.gradients[1].ready = -1;
  EXPECT_DOUBLE_EQ(simulate_ddp(step, slow_pair(), {.bucket_limits = {12, 100}}).seconds, 55);
}

TEST(Simulate, IsTheRecordedStepWithOneRank) {
  Cluster one = slow_pair();
  one.ranks = 1;
  for (const Training training : kTrainings) {
    const Prediction p = simulate(training, two_unit_step(), one);
    EXPECT_DOUBLE_EQ(p.seconds, 35) << name_of(training);
    EXPECT_DOUBLE_EQ(p.efficiency, 1);
    EXPECT_DOUBLE_EQ(p.communication, 0);
    EXPECT_DOUBLE_EQ(p.bytes_sent, 0);
  }
  EXPECT_DOUBLE_EQ(simulate_ddp(two_unit_step(), one).memory, 4 * 20);
}

TEST(SimulateZero, UpdatesAndBroadcastsOwnParameters) {
  // Gradients until 40. The rank of the second parameter updates 12 of 20 bytes in 3 s; the
  // parameters of both ranks are sent in 12 and 8 s.
  const Prediction p = simulate_zero(two_unit_step(), slow_pair(), {.bucket_limits = {12, 100}});
  EXPECT_DOUBLE_EQ(p.seconds, 63);
  EXPECT_DOUBLE_EQ(p.communication, 40);
  EXPECT_DOUBLE_EQ(p.memory, 3 * 20 + 2 * 12);
  // Ranks without parameters send nothing.
  Cluster four = slow_pair();
  four.ranks = 4, four.algorithm = Algorithm::tree;
  const double ddp = simulate_ddp(two_unit_step(), four, {.bucket_limits = {100}}).seconds;
  EXPECT_DOUBLE_EQ(simulate_zero(two_unit_step(), four, {.bucket_limits = {100}}).seconds,
                   ddp - 5 + 3 + 2 * 20);
}

TEST(SimulateZero, ReducesShardedGradientsToOneRank) {
  // A reduction of n bytes takes n seconds; buckets contain the parameters of one rank. Gradients:
  // as with all-reduces until 40, without copies. The second rank updates 8 bytes.
  const Prediction p = simulate_zero(two_unit_step(), slow_pair(),
                                     {.bucket_limits = {12, 100}, .shard_gradients = true});
  EXPECT_DOUBLE_EQ(p.seconds, 63);
  EXPECT_DOUBLE_EQ(p.communication, 40);
  // Parameters, the gradients and the state of 12 bytes, both buckets.
  EXPECT_DOUBLE_EQ(p.memory, 20 + 12 + 20 + 2 * 12);
  EXPECT_DOUBLE_EQ(simulate(Training::zero_gradients, two_unit_step(), slow_pair()).communication,
                   40);
}

TEST(SimulateZero, WaitsForPendingReductionsOfShardedGradients) {
  // One gradient of 12 bytes per second from 11 to 14 s of backward, in buckets of their own, which
  // take 12 s each. Reductions from 21, 33, 45 and 57 to 69; the third one waits for the first one,
  // at 33, the fourth one for the second one, at 45. The rest of backward, 6 s, until 51.
  RecordedStep step = two_unit_step();
  step.gradients.clear();
  for (const double ready : {11, 12, 13, 14})
    step.gradients.push_back({"p", parameter_of_bytes(12), ready});
  const Prediction p =
      simulate_zero(step, slow_pair(), {.bucket_limits = {12}, .shard_gradients = true});
  EXPECT_DOUBLE_EQ(p.seconds, 69 + 2.5 + 2 * 24);
}

TEST(SimulateFullyShard, WaitsForTheSlowestRankAtEachUnit) {
  RecordedStep step = even_step();
  step.unit_forward = 13, step.unit_backward = 24;
  // Forward takes 3 s more. Backward ends 4 s later, 2 s after the last reduction.
  const double before = simulate_fully_shard(even_step(), slow_pair()).seconds;
  EXPECT_DOUBLE_EQ(simulate_fully_shard(step, slow_pair()).seconds, before + 3 + 2);
}

TEST(SimulateFullyShard, GathersUnitsBeforeTheyCompute) {
  // Forward: gathers from 1 to 5 and from 8 to 16, end at 22. Backward: gather from 24 to 32, the
  // second unit until 40, its reduction until 48, the gather of the first unit until 52. It ends
  // at 60, backward at 62, the last reduction at 64.
  const Prediction p = simulate_fully_shard(even_step(), slow_pair());
  EXPECT_DOUBLE_EQ(p.seconds, 66.5);
  EXPECT_DOUBLE_EQ(p.communication, 3 * 12);
  EXPECT_DOUBLE_EQ(p.bytes_sent, 3 * 12);
  EXPECT_DOUBLE_EQ(p.memory, 12 * 4 + 2 * 16);
}

TEST(SimulateFullyShard, PrefetchesTheNextUnit) {
  // Forward: gathers from 0 to 4 and from 4 to 12, end at 18. Backward: gathers from 18 to 26 and
  // from 26 to 30; the second unit ends at 34, the first one at 42, their reductions at 42 and 46.
  const Prediction p = simulate(Training::fully_shard_prefetch, even_step(), slow_pair());
  EXPECT_DOUBLE_EQ(p.seconds, 48.5);
  EXPECT_DOUBLE_EQ(p.communication, 3 * 12);
  EXPECT_DOUBLE_EQ(p.memory, 12 * 4 + 2 * 16 + 8);
  // In backward only: forward ends at 22.
  EXPECT_DOUBLE_EQ(simulate(Training::fully_shard, even_step(), slow_pair()).seconds, 52.5);
}

TEST(SimulateFullyShard, AddsTheTimeOfCopies) {
  RecordedStep step = even_step();
  step.shard_forward = 0.5, step.shard_backward = 0.25;
  // Forward: 8 and 16 bytes take 4 and 8 s more, end at 34. Backward: gather from 36 to 44, 2 s of
  // copies, the second unit until 54, 2 s of copies, its reduction from 56 to 64, the gather of the
  // first unit until 68. 1 s of copies, end at 77, 1 s of copies, its reduction until 82.
  EXPECT_DOUBLE_EQ(simulate_fully_shard(step, slow_pair()).seconds, 84.5);
}

TEST(SimulateFullyShard, PadsRows) {
  // 3 rows of 4 bytes in two ranks are 4 rows in collectives: 8 s, and 4 bytes more per pass.
  const Prediction p = simulate_fully_shard(two_unit_step(), slow_pair());
  EXPECT_DOUBLE_EQ(p.communication, 3 * (4 + 8));
  EXPECT_DOUBLE_EQ(p.memory, (4 + 8) * 4 + 2 * 12);
}

TEST(SimulateFullyShard, GathersTheNetworkFirst) {
  RecordedStep step = even_step();
  step.units[0].parameters = {parameter_of_bytes(4 * 6)};
  step.units[0].backward_end = 19;
  // Forward: gathers from 0 to 12, 13 to 17 and 20 to 28, end at 34. Backward: gathers from 34 to
  // 46 and 48 to 56. The second unit until 64, its reduction until 72, the gather of the first one
  // until 76; it ends at 84, its reduction at 88. The network ends at 85, waits for the reduction,
  // and reduces until 100, while backward ends at 89.
  EXPECT_DOUBLE_EQ(simulate_fully_shard(step, slow_pair()).seconds, 102.5);
}

TEST(SimulateFullyShard, DoesNotReduceFrozenUnits) {
  RecordedStep step = even_step();
  step.units[1].parameters[0].requires_grad_(false);
  step.units[1].backward_end = -1;
  const Prediction p = simulate_fully_shard(step, slow_pair());
  EXPECT_DOUBLE_EQ(p.communication, 2 * 12 + 8);
  EXPECT_DOUBLE_EQ(p.memory, 4 + 8 * 4 + 2 * 16);
}

}  // namespace
}  // namespace planning
