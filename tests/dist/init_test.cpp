// Default group, groups of some ranks, threads as ranks.
#include <gtest/gtest.h>

#include <atomic>

#include "dist/support.h"
#include "support/warning_capture.h"
#include "taper/core/generator.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::on_ranks;

TEST(InitProcessGroup, HasOneRankOutsideOfThreads) {
  EXPECT_FALSE(is_initialized());
  init_process_group();
  EXPECT_TRUE(is_initialized());
  EXPECT_EQ(get_rank(), 0);
  EXPECT_EQ(get_world_size(), 1);
  EXPECT_EQ(get_backend(), "threads");
  const Tensor x = test::floats({1, 2});
  all_reduce(x, {.op = ReduceOp::avg});
  barrier();
  EXPECT_TRUE(equal(x, test::floats({1, 2})));
  EXPECT_TRUE(contains(error_text([&] { recv(x); }), "no other rank"));
  EXPECT_TRUE(contains(error_text([] { init_process_group(); }), "twice"));
  destroy_process_group();
  EXPECT_FALSE(is_initialized());
}

TEST(InitProcessGroup, RejectsInvalidOptions) {
  EXPECT_TRUE(contains(error_text([] { init_process_group({.backend = "pigeon"}); }),
                       "unknown backend 'pigeon', expected 'threads', 'gloo' or 'mpi'"));
  EXPECT_TRUE(contains(error_text([] { init_process_group({.timeout = Timeout(0)}); }),
                       "timeout must be positive"));
  EXPECT_FALSE(is_initialized());
}

TEST(InitProcessGroup, CallsWithoutGroupFail) {
  EXPECT_TRUE(contains(error_text([] { get_rank(); }), "has not been initialized"));
  EXPECT_TRUE(contains(error_text([] { all_reduce(ones({2})); }), "has not been initialized"));
}

TEST(SpawnThreads, RunsEachRankOnce) {
  std::atomic<int> sum{0};
  on_ranks(4, [&](int rank) {
    EXPECT_EQ(get_rank(), rank);
    EXPECT_EQ(get_world_size(), 4);
    sum += rank + 1;
  });
  EXPECT_EQ(sum, 10);
  EXPECT_FALSE(is_initialized());
}

TEST(SpawnThreads, RanksHaveOwnGenerators) {
  manual_seed(7);
  const Tensor expected = rand({4});
  manual_seed(7);
  std::vector<Tensor> drawn(3);
  on_ranks(3, [&](int rank) {
    if (rank == 2) manual_seed(8);
    drawn[static_cast<std::size_t>(rank)] = rand({4});
  });
  EXPECT_TRUE(equal(drawn[0], expected));
  EXPECT_TRUE(equal(drawn[1], expected));
  EXPECT_FALSE(equal(drawn[2], expected));
  EXPECT_TRUE(equal(rand({4}), expected));
}

TEST(SpawnThreads, FailureEndsOtherRanks) {
  const std::string text = error_text([] {
    on_ranks(3, [](int rank) {
      if (rank == 1) throw ValueError("no data");
      all_reduce(ones({2}));
    });
  });
  EXPECT_EQ(text, "rank 1: no data");
}

TEST(SpawnThreads, FailureBeforeInitializationEndsOtherRanks) {
  const std::string text = error_text([] {
    spawn_threads(2, [](int rank) {
      if (rank == 0) throw ValueError("no data");
      init_process_group();
      barrier();
    });
  });
  EXPECT_EQ(text, "rank 0: no data");
}

TEST(SpawnThreads, RejectsNonPositiveCounts) {
  EXPECT_TRUE(contains(error_text([] { spawn_threads(0, [](int) {}); }), "positive"));
}

TEST(NewGroup, NumbersMembersInAscendingOrder) {
  on_ranks(4, [](int rank) {
    const Group group = new_group({3, 1});
    EXPECT_EQ(get_rank(group), rank == 1 ? 0 : rank == 3 ? 1 : -1);
    EXPECT_EQ(get_world_size(group), rank % 2 ? 2 : -1);
    EXPECT_EQ(get_process_group_ranks(group), (std::vector{1, 3}));
    EXPECT_EQ(get_global_rank(group, 1), 3);
    EXPECT_EQ(get_group_rank(group, 1), 0);
    if (rank % 2) {
      const Tensor x = full({2}, static_cast<float>(rank));
      all_reduce(x, {.group = group});
      EXPECT_TRUE(equal(x, test::floats({4, 4})));
    }
  });
}

TEST(NewGroup, WarnsAndDoesNothingOutside) {
  const test::WarningCapture warnings;
  on_ranks(2, [](int rank) {
    const Group group = new_group({0});
    const Tensor x = full({2}, static_cast<float>(rank));
    all_reduce(x, {.group = group});
    broadcast(x, 0, {.group = group});
    EXPECT_TRUE(equal(x, full({2}, static_cast<float>(rank))));
    EXPECT_TRUE(all_gather_object(rank, group).size() == (rank == 0 ? 1u : 0u));
  });
  EXPECT_TRUE(contains(warnings.last(), "does not belong to the given group"));
}

TEST(NewGroup, RejectsInvalidRanks) {
  on_ranks(2, [](int) {
    EXPECT_TRUE(contains(error_text([] { new_group({0, 2}); }), "rank 2 does not exist"));
    EXPECT_TRUE(contains(error_text([] { new_group({1, 1}); }), "rank 1 occurs twice"));
    EXPECT_EQ(new_group({0, 1})->size(), 2);
  });
}

TEST(DestroyProcessGroup, RejectsLaterCalls) {
  on_ranks(2, [](int) {
    const Group group = new_group({0, 1});
    destroy_process_group(group);
    EXPECT_TRUE(contains(error_text([&] { barrier({.group = group}); }), "was destroyed"));
    EXPECT_TRUE(contains(error_text([&] { destroy_process_group(group); }), "invalid"));
    barrier();
    destroy_process_group();
    EXPECT_TRUE(contains(error_text([] { barrier(); }), "has not been initialized"));
  });
}

TEST(DestroyProcessGroup, CancelsPendingCollectives) {
  const auto errors = test::errors_on_ranks(2, [](int rank) {
    const Tensor x = ones({3});
    if (rank == 0) {
      const Work work = all_reduce(x, {.async_op = true});
      destroy_process_group();
      work.wait();
    } else {
      recv(x, 0);
    }
  });
  EXPECT_TRUE(contains(errors[0], "the group was destroyed"));
  EXPECT_TRUE(contains(errors[1], "released the group"));
}

}  // namespace
}  // namespace taper::distributed
