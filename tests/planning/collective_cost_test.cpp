// Cost models of collectives, compared with their closed forms.
#include "collective_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/contains.h"
#include "support/error_text.h"

namespace planning {
namespace {

using taper::test::contains, taper::test::error_text;

constexpr double kLatency = 3e-6, kBandwidth = 2e9, kBytes = 1.2e7;

Cluster flat_cluster(int ranks, Algorithm algorithm) {
  const Link link{kLatency, kBandwidth};
  return {.ranks = ranks, .network = link, .inside = link, .algorithm = algorithm};
}

/// Expects latency * `latencies` + bytes / bandwidth * `transfers`.
void expect_seconds(const Cost& cost, double latencies, double transfers, double bytes = kBytes) {
  const double expected = latencies * kLatency + transfers * bytes / kBandwidth;
  EXPECT_NEAR(cost.seconds, expected, 1e-9 * expected);
}

TEST(CollectiveCost, IsZeroForOneRank) {
  for (const Algorithm a : {Algorithm::ring, Algorithm::tree, Algorithm::hierarchical,
                            Algorithm::gloo, Algorithm::best}) {
    const Cluster c = flat_cluster(1, a);
    for (const Cost& cost :
         {all_reduce_cost(c, kBytes), all_gather_cost(c, kBytes), reduce_scatter_cost(c, kBytes),
          broadcast_cost(c, kBytes), reduce_cost(c, kBytes)}) {
      EXPECT_EQ(cost.seconds, 0);
      EXPECT_EQ(cost.bytes, 0);
    }
  }
}

TEST(CollectiveCost, RingIsThatOfThakur) {
  for (const int p : {2, 3, 4, 7, 64, 1000}) {
    const Cluster c = flat_cluster(p, Algorithm::ring);
    const double rest = (p - 1.0) / p;
    expect_seconds(all_gather_cost(c, kBytes), p - 1, rest);
    expect_seconds(reduce_scatter_cost(c, kBytes), p - 1, rest);
    expect_seconds(all_reduce_cost(c, kBytes), 2 * (p - 1), 2 * rest);
    EXPECT_NEAR(all_reduce_cost(c, kBytes).bytes, 2 * rest * kBytes, 1);
  }
}

TEST(CollectiveCost, RingBroadcastIsScatterAndAllGather) {
  for (const int k : {1, 2, 5}) {
    const int p = 1 << k;
    const Cost cost = broadcast_cost(flat_cluster(p, Algorithm::ring), kBytes);
    expect_seconds(cost, k + p - 1, 2 * (p - 1.0) / p);
    EXPECT_NEAR(cost.bytes, kBytes * (k / 2.0 + p - 1) / p, 1);
  }
}

TEST(CollectiveCost, TreeIsThatOfThakur) {
  for (const int p : {2, 3, 5, 8, 100, 1024}) {
    const Cluster c = flat_cluster(p, Algorithm::tree);
    const double steps = std::ceil(std::log2(p)), rest = (p - 1.0) / p;
    expect_seconds(all_gather_cost(c, kBytes), steps, rest);
    expect_seconds(reduce_scatter_cost(c, kBytes), steps, rest);
    expect_seconds(broadcast_cost(c, kBytes), steps, steps);
    EXPECT_NEAR(broadcast_cost(c, kBytes).bytes, rest * kBytes, 1);
  }
}

TEST(CollectiveCost, TreeReducesShortBuffersByDoubling) {
  const Cluster c = flat_cluster(16, Algorithm::tree);
  expect_seconds(all_reduce_cost(c, 8), 4, 4, 8);
  EXPECT_EQ(all_reduce_cost(c, 8).bytes, 32);
  expect_seconds(all_reduce_cost(c, kBytes), 8, 2 * 15.0 / 16);
}

TEST(CollectiveCost, TreeFoldsRanksBeyondAPowerOfTwo) {
  expect_seconds(all_reduce_cost(flat_cluster(6, Algorithm::tree), kBytes), 4 + 2, 2 * 0.75 + 2);
  expect_seconds(all_reduce_cost(flat_cluster(3, Algorithm::tree), 8), 1 + 2, 1 + 2, 8);
}

/// 16 ranks in nodes of 4 with a fast link.
Cluster two_level_cluster(Algorithm algorithm) {
  return {.ranks = 16,
          .ranks_per_node = 4,
          .network = {kLatency, kBandwidth},
          .inside = {kLatency / 10, kBandwidth * 10},
          .algorithm = algorithm};
}

TEST(CollectiveCost, HierarchicalSharesTheLinkOfANode) {
  const Cluster c = two_level_cluster(Algorithm::hierarchical);
  // Rings of 4 nodes move 3/4 of the buffer through the link of a node, rings within a node 3/4
  // of the buffer through links that are ten times as fast.
  expect_seconds(all_gather_cost(c, kBytes), 3 + 0.3, 0.75 + 0.075);
  expect_seconds(all_reduce_cost(c, kBytes), 2 * 3.3, 2 * 0.825);
  EXPECT_NEAR(all_reduce_cost(c, kBytes).bytes, 2 * kBytes * (0.75 / 4 + 0.75), 1);
  expect_seconds(broadcast_cost(c, 8), 2 + 0.2, 2 + 0.2, 8);
  Cluster node = c;
  node.ranks = 4;
  expect_seconds(all_gather_cost(node, kBytes), 0.3, 0.075);
}

TEST(CollectiveCost, RingAndTreeDistinguishNodes) {
  // One message per step of a ring leaves a node; those of four ranks do in the last steps of
  // recursive doubling, in which each rank sends 4 and 8 of 16 parts.
  expect_seconds(all_gather_cost(two_level_cluster(Algorithm::ring), kBytes), 15, 15.0 / 16);
  expect_seconds(all_gather_cost(two_level_cluster(Algorithm::tree), kBytes), 2.2,
                 (0.1 + 0.2 + 4 * 4 + 4 * 8) / 16);
  expect_seconds(broadcast_cost(two_level_cluster(Algorithm::tree), kBytes), 2.2, 2.2);
}

TEST(CollectiveCost, GlooExchangesPartsAndReducesAlongARing) {
  const Cluster c = flat_cluster(4, Algorithm::gloo);
  expect_seconds(all_reduce_cost(c, kBytes), 6, 1.5);
  expect_seconds(all_gather_cost(c, kBytes), 3, 0.75);
  expect_seconds(reduce_scatter_cost(c, kBytes), 1, 0.75);
  expect_seconds(broadcast_cost(c, kBytes), 2, 2);
  expect_seconds(reduce_cost(c, kBytes), 4, 1.5);
  expect_seconds(reduce_cost(flat_cluster(4, Algorithm::tree), kBytes), 2, 2);
}

TEST(CollectiveCost, BestIsTheFastest) {
  for (const double bytes : {8.0, 1e4, 1e6, 1e8}) {
    const double best = all_reduce_cost(two_level_cluster(Algorithm::best), bytes).seconds;
    double least = std::numeric_limits<double>::infinity();
    for (const Algorithm a : {Algorithm::ring, Algorithm::tree, Algorithm::hierarchical})
      least = std::min(least, all_reduce_cost(two_level_cluster(a), bytes).seconds);
    EXPECT_EQ(best, least);
  }
  Cluster uneven = two_level_cluster(Algorithm::best);
  uneven.ranks = 18;
  EXPECT_GT(all_reduce_cost(uneven, kBytes).seconds, 0);
}

TEST(CollectiveCost, RejectsUnevenHierarchies) {
  Cluster c = two_level_cluster(Algorithm::hierarchical);
  c.ranks = 18;
  EXPECT_TRUE(contains(error_text([&] { return all_reduce_cost(c, kBytes).seconds; }),
                       "18 ranks do not fill nodes of 4 ranks"));
  c = flat_cluster(8, Algorithm::hierarchical);
  EXPECT_TRUE(contains(error_text([&] { return all_gather_cost(c, kBytes).seconds; }),
                       "8 ranks do not fill nodes of 1 ranks"));
}

TEST(Algorithm, HasNames) {
  for (const char* const name : {"ring", "tree", "hierarchical", "gloo", "best"})
    EXPECT_EQ(name_of(algorithm_named(name)), name);
  EXPECT_TRUE(contains(error_text([] { return algorithm_named("star") == Algorithm::ring; }),
                       "unknown algorithm 'star': expected ring, tree"));
}

}  // namespace
}  // namespace planning
