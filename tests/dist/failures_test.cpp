// Timeouts, calls that do not match, aborted groups.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "dist/support.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::errors_on_ranks;

const InitOptions kShort = {.timeout = Timeout(0.2)};

TEST(Timeouts, NameCallAndMissingRanks) {
  const auto errors = errors_on_ranks(
      3,
      [](int rank) {
        if (rank != 1) all_reduce(ones({4}));
      },
      kShort);
  EXPECT_TRUE(contains(errors[0] + errors[2],
                       "all_reduce(sum) of float32 [4]: timed out after 0.2 s: rank 1 has not "
                       "called it"))
      << errors[0];
  EXPECT_TRUE(contains(errors[0], "rank 0: ")) << errors[0];
  EXPECT_TRUE(contains(errors[2], "rank 1 has not called it")) << errors[2];
}

TEST(Timeouts, ApplyToMessages) {
  const auto errors = errors_on_ranks(
      2, [](int rank) { rank == 0 ? static_cast<void>(recv(ones({2}), 1)) : void(); }, kShort);
  EXPECT_TRUE(contains(errors[0],
                       "rank 0: recv of float32 [2] from rank 1: timed out after 0.2 s: "
                       "rank 1 has not sent it"))
      << errors[0];
}

TEST(Timeouts, OfMonitoredBarrierListAllRanks) {
  const auto errors = errors_on_ranks(4, [](int rank) {
    if (rank < 2) monitored_barrier({.timeout = Timeout(0.2)});
  });
  EXPECT_TRUE(contains(errors[0], "ranks 2, 3 have not called it")) << errors[0];
}

TEST(Timeouts, AbortTheGroup) {
  const auto errors = errors_on_ranks(
      2,
      [](int rank) {
        if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
        barrier();
      },
      kShort);
  const std::string reason = "rank 0: barrier: timed out after 0.2 s: rank 1 has not called it";
  EXPECT_EQ(errors[0], reason);
  EXPECT_EQ(errors[1], "rank 1: barrier: " + reason);
}

TEST(Timeouts, OfOneWaitAreReportedByTheHandle) {
  test::on_ranks(2, [](int rank) {
    if (rank == 1) return;
    const Work work = all_reduce(ones({4}), {.async_op = true});
    EXPECT_FALSE(work.is_completed());
    EXPECT_EQ(work.error(), "");
    const std::string text =
        "rank 0: all_reduce(sum) of float32 [4]: timed out after 0.1 s: rank 1 has not called it";
    EXPECT_EQ(test::error_text([&] { work.wait(Timeout(0.1)); }), text);
    EXPECT_TRUE(work.is_completed());
    EXPECT_FALSE(work.is_success());
    EXPECT_EQ(work.error(), text);
    EXPECT_EQ(test::error_text([&] { work.wait(); }), text);
  });
}

TEST(Timeouts, OfOneWaitMayBeLongerThanThatOfTheGroup) {
  test::on_ranks(
      2,
      [](int rank) {
        if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
        const Tensor x = ones({2});
        const Work work = all_reduce(x, {.async_op = true});
        work.wait(Timeout(30));
        EXPECT_TRUE(work.is_success());
        EXPECT_EQ(work.error(), "");
        EXPECT_TRUE(equal(x, test::floats({2, 2})));
      },
      kShort);
}

TEST(Mismatches, NameBothCalls) {
  const auto errors = errors_on_ranks(2, [](int rank) { all_reduce(ones({3 + rank})); });
  for (const std::string& error : errors) {
    EXPECT_TRUE(contains(error, "mismatch")) << error;
    EXPECT_TRUE(contains(error, "all_reduce of 3 float32 elements")) << error;
    EXPECT_TRUE(contains(error, "all_reduce of 4 float32 elements")) << error;
  }
}

TEST(Mismatches, OfGatheredSizesFailOnAllRanks) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    all_gather({ones({2}), ones({2 + rank})}, ones({2 + rank}));
  });
  EXPECT_TRUE(contains(errors[0], "mismatch")) << errors[0];
  EXPECT_TRUE(contains(errors[1], "mismatch")) << errors[1];
}

TEST(Mismatches, OfMessagesFailOnBothRanks) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    if (rank == 0)
      send(ones({2}), 1);
    else
      recv(ones({3}), 0);
  });
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error, "rank 0 sent 2 float32 elements, rank 1 expected 3 float32"))
        << error;
}

TEST(DebugMode, ComparesShapesBeforeTheCall) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    set_debug_level(DebugLevel::detail);
    const Tensor x = rank == 0 ? ones({2, 3}) : ones({3, 2});
    all_reduce(x);
  });
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error,
                         "rank 0 called all_reduce(sum) of float32 [2, 3], rank 1 called "
                         "all_reduce(sum) of float32 [3, 2]"))
        << error;
}

TEST(DebugMode, AcceptsCallsThatMatch) {
  test::on_ranks(3, [](int rank) {
    set_debug_level(DebugLevel::detail);
    const Tensor x = full({2}, static_cast<float>(rank));
    all_reduce(x);
    broadcast(x, 1);
    std::vector<Tensor> all = {empty({0}), empty({1}), empty({2})};
    all_gather(all, ones({rank}));
    EXPECT_EQ(all_gather_object(rank).size(), 3u);
    barrier();
    EXPECT_TRUE(equal(x, test::floats({3, 3})));
  });
}

}  // namespace
}  // namespace taper::distributed
