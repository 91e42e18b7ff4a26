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

/// Returns the error that both ranks report in debug mode, without their numbers.
std::string error_in_debug_mode(const SharedFunction<void(int)>& f) {
  auto errors = errors_on_ranks(2, [&](int rank) {
    set_debug_level(DebugLevel::detail);
    f(rank);
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const std::string prefix = "rank " + std::to_string(rank) + ": ";
    EXPECT_TRUE(errors[rank].starts_with(prefix)) << errors[rank];
    errors[rank].erase(0, prefix.size());
  }
  EXPECT_EQ(errors[0], errors[1]);
  return errors[0];
}

TEST(DebugMode, ComparesCountsOfGatherAndScatter) {
  EXPECT_EQ(error_in_debug_mode([](int rank) {
              std::vector<Tensor> list;
              if (rank == 1) list = {empty({2}), empty({2})};
              gather(ones({rank == 0 ? 3 : 2}), list, 1);
            }),
            "collectives do not match at call 1: gather of float32 with root 1: rank 0 sends 3 "
            "elements to rank 1, which expects 2");
  EXPECT_EQ(error_in_debug_mode([](int rank) {
              std::vector<Tensor> list;
              if (rank == 0) list = {ones({2}), ones({4})};
              scatter(empty({2}), list, 0);
            }),
            "collectives do not match at call 1: scatter of float32 with root 0: rank 0 sends 4 "
            "elements to rank 1, which expects 2");
}

TEST(DebugMode, ComparesCountsOfAllToAll) {
  EXPECT_EQ(error_in_debug_mode([](int rank) {
              // Rank 1 sends one element to rank 0, which expects two.
              all_to_all_single(empty({4}), ones({4}),
                                {.output_split_sizes = {2, 2},
                                 .input_split_sizes = rank == 1 ? std::vector<std::int64_t>{1, 3}
                                                                : std::vector<std::int64_t>{2, 2}});
            }),
            "collectives do not match at call 1: all_to_all of float32: rank 1 sends 1 elements to "
            "rank 0, which expects 2");
  EXPECT_EQ(error_in_debug_mode([](int rank) {
              all_to_all({empty({1}), empty({1})}, {ones({1}), ones({1})});
              all_to_all({empty({1}), empty({1})}, {ones({1}), ones({rank == 0 ? 2 : 1})});
            }),
            "collectives do not match at call 2: all_to_all of float32: rank 0 sends 2 elements to "
            "rank 1, which expects 1");
}

TEST(DebugMode, NamesAnotherRoot) {
  EXPECT_EQ(error_in_debug_mode([](int rank) { broadcast(ones({2}), rank); }),
            "collectives do not match at call 1: rank 0 called broadcast of float32 [2] with root "
            "0, rank 1 called broadcast of float32 [2] with root 1");
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
    EXPECT_EQ(gather_object("x" + std::string(static_cast<std::size_t>(rank), 'y'), 1).size(),
              rank == 1 ? 3u : 0u);
    EXPECT_EQ(scatter_object_list(rank == 2 ? Values{5, "text", 7.5} : Values{}, 2).is_string(),
              rank == 1);
    // Rank r sends r + 2 s elements to rank s.
    std::vector<Tensor> sent, received;
    for (int r = 0; r < 3; ++r) {
      sent.push_back(ones({rank + 2 * r}));
      received.push_back(empty({r + 2 * rank}));
    }
    all_to_all(received, sent);
    barrier();
    EXPECT_TRUE(equal(x, test::floats({3, 3})));
  });
}

}  // namespace
}  // namespace taper::distributed
