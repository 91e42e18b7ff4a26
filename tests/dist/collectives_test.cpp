// Collectives on tensors: results, layouts, refused arguments.
#include <gtest/gtest.h>

#include "dist/support.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::floats;
using test::on_ranks;

Tensor rank_values(int rank) {
  const auto r = static_cast<float>(rank + 1);
  return floats({r, 10 * r});
}

TEST(AllReduce, CombinesAllRanks) {
  on_ranks(3, [](int rank) {
    const auto reduced = [&](ReduceOp op) {
      const Tensor x = rank_values(rank);
      all_reduce(x, {.op = op});
      return x;
    };
    EXPECT_TRUE(equal(reduced(ReduceOp::sum), floats({6, 60})));
    EXPECT_TRUE(equal(reduced(ReduceOp::avg), floats({2, 20})));
    EXPECT_TRUE(equal(reduced(ReduceOp::min), floats({1, 10})));
    EXPECT_TRUE(equal(reduced(ReduceOp::max), floats({3, 30})));
    EXPECT_TRUE(equal(reduced(ReduceOp::product), floats({6, 6000})));
    const Tensor bits = tensor({1 << rank}, {.dtype = DType::u8});
    all_reduce(bits, {.op = ReduceOp::bor});
    EXPECT_EQ(bits.item<int>(), 7);
    const Tensor flag = tensor({rank == 1});
    all_reduce(flag);
    EXPECT_TRUE(flag.item<bool>());
  });
}

TEST(AllReduce, AcceptsAnyLayout) {
  on_ranks(2, [](int rank) {
    const Tensor base = full({4, 6}, static_cast<float>(rank + 1));
    all_reduce(base.t().narrow(0, 1, 3));
    EXPECT_EQ(base.select(1, 0).sum().item<float>(), 4.0f * static_cast<float>(rank + 1));
    EXPECT_TRUE(equal(base.narrow(1, 1, 3), full({4, 3}, 3.0f)));
    const Tensor leaf = full({2}, static_cast<float>(rank), {.requires_grad = true});
    all_reduce(leaf);
    EXPECT_TRUE(equal(leaf.detach(), floats({1, 1})));
  });
}

TEST(AllReduce, RejectsUndefinedReductions) {
  on_ranks(2, [](int) {
    EXPECT_TRUE(contains(
        error_text([] { all_reduce(ones({2}, {.dtype = DType::i64}), {.op = ReduceOp::avg}); }),
        "avg is defined for floating-point types only, got int64"));
    EXPECT_TRUE(contains(error_text([] { all_reduce(ones({2}), {.op = ReduceOp::bxor}); }),
                         "bxor is not defined for floating-point types"));
  });
}

TEST(AllReduce, RunsAsynchronously) {
  on_ranks(2, [](int rank) {
    const Tensor a = full({2}, 1.0f), b = full({2}, static_cast<float>(rank));
    int finished = 0;
    const Work first = all_reduce(a, {.async_op = true});
    const Work second = all_reduce(b, {.op = ReduceOp::avg, .async_op = true});
    first.then([&] { ++finished; });
    second.wait();
    first.wait();
    first.wait();
    EXPECT_TRUE(first.is_completed() && first.is_success());
    EXPECT_EQ(finished, 1);
    EXPECT_TRUE(equal(a, floats({2, 2})));
    EXPECT_TRUE(equal(b, floats({0.5, 0.5})));
  });
}

TEST(Work, KeepsTensorsOfDroppedHandles) {
  on_ranks(2, [](int) {
    for (int i = 0; i < 20; ++i) all_reduce(ones({1000}), {.async_op = true});
    barrier();
  });
}

TEST(Broadcast, CopiesFromSource) {
  on_ranks(3, [](int rank) {
    const Tensor x = rank_values(rank);
    broadcast(x, 2);
    EXPECT_TRUE(equal(x, rank_values(2)));
    EXPECT_TRUE(contains(error_text([&] { broadcast(x, 3); }), "src 3 is not a rank"));
  });
}

TEST(AllGather, AcceptsUnequalShapes) {
  on_ranks(3, [](int rank) {
    std::vector<Tensor> all;
    for (int r = 0; r < 3; ++r) all.push_back(empty({r, 2}));
    all_gather(all, full({rank, 2}, static_cast<float>(rank)));
    for (int r = 0; r < 3; ++r)
      EXPECT_TRUE(equal(all[static_cast<std::size_t>(r)], full({r, 2}, static_cast<float>(r))));
  });
}

TEST(AllGather, RejectsInvalidLists) {
  on_ranks(2, [](int) {
    const Tensor x = ones({2});
    EXPECT_TRUE(contains(error_text([&] { all_gather({x}, x); }), "got 1 tensors, expected 2"));
    EXPECT_TRUE(contains(error_text([&] {
                           all_gather({x, ones({2}, {.dtype = DType::f64})}, x);
                         }),
                         "must have the same dtype, got float32 and float64"));
    EXPECT_TRUE(contains(error_text([&] { all_gather_into_tensor(ones({5}), x); }),
                         "expected an output of shape [4] or [2, 2], got [5]"));
  });
}

TEST(ReduceScatter, StoresPartOfEachRank) {
  on_ranks(2, [](int rank) {
    const Tensor out = empty({1, 2});
    reduce_scatter_tensor(out, tensor({{1.0, 2.0}, {3.0, 4.0}}), {.op = ReduceOp::sum});
    EXPECT_TRUE(equal(out, rank == 0 ? tensor({{2.0, 4.0}}) : tensor({{6.0, 8.0}})));
    EXPECT_TRUE(contains(error_text([&] { reduce_scatter_tensor(out, ones({3})); }),
                         "must have 2 times the elements"));
  });
}

TEST(AllToAll, ExchangesParts) {
  on_ranks(2, [](int rank) {
    const Tensor in = full({3}, static_cast<float>(rank));
    const Tensor out = empty({rank == 0 ? 2 : 4});
    all_to_all_single(out, in,
                      {.output_split_sizes = rank == 0 ? std::vector<std::int64_t>{1, 1}
                                                       : std::vector<std::int64_t>{2, 2},
                       .input_split_sizes = {1, 2}});
    EXPECT_TRUE(equal(out, rank == 0 ? floats({0, 1}) : floats({0, 0, 1, 1})));
    EXPECT_TRUE(contains(error_text([&] { all_to_all_single(in, in); }),
                         "3 rows is not divisible by 2 ranks"));
  });
}

TEST(GatherScatter, UseRootOnly) {
  on_ranks(3, [](int rank) {
    std::vector<Tensor> list;
    if (rank == 1)
      for (int r = 0; r < 3; ++r) list.push_back(empty({2}));
    gather(rank_values(rank), list, 1);
    if (rank == 1) { EXPECT_TRUE(equal(list[2], rank_values(2))); }
    const Tensor mine = empty({2});
    scatter(mine, list, 1);
    EXPECT_TRUE(equal(mine, rank_values(rank)));
  });
}

TEST(GatherScatter, RejectAPartOfTheRootThatDoesNotFit) {
  on_ranks(2, [](int rank) {
    if (rank == 1) return;
    const Tensor x = ones({2});
    EXPECT_TRUE(contains(
        error_text([&] {
          gather(x, {empty({5}), empty({2})}, 0);
        }),
        "gather: tensor 0 of gather_list must have the shape of tensor: got [5], expected [2]"));
    EXPECT_TRUE(contains(
        error_text([&] {
          scatter(x, {ones({5}), ones({2})}, 0);
        }),
        "scatter: tensor 0 of scatter_list must have the shape of tensor: got [5], expected [2]"));
    EXPECT_TRUE(contains(error_text([&] {
                           all_to_all({empty({2}), x}, {ones({3}), x});
                         }),
                         "got [3], expected [2]"));
  });
}

TEST(Messages, MatchByTagAndOrder) {
  on_ranks(2, [](int rank) {
    const Tensor a = full({2}, 1.0f), b = full({2}, 2.0f), c = full({3}, 3.0f);
    if (rank == 0) {
      const std::vector works = {isend(a, 1), isend(b, 1), isend(c, 1, {.tag = 5})};
      for (const Work& work : works) work.wait();
    } else {
      EXPECT_EQ(recv(c.zero_(), {}, {.tag = 5}), 0);
      recv(a.zero_(), 0);
      recv(b.zero_(), 0);
      EXPECT_TRUE(equal(a, floats({1, 1})));
      EXPECT_TRUE(equal(b, floats({2, 2})));
      EXPECT_TRUE(equal(c, floats({3, 3, 3})));
    }
    EXPECT_TRUE(contains(error_text([&] { send(a, rank); }), "is the rank of the caller"));
    EXPECT_TRUE(contains(error_text([] { batch_isend_irecv({}); }), "empty"));
  });
}

TEST(Objects, TravelBetweenRanks) {
  on_ranks(3, [](int rank) {
    const Value mine = Value::dict({{"rank", rank}, {"w", full({rank}, 1.5f)}});
    const Values all = all_gather_object(mine);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(Value(all[2]["rank"]).as_int(), 2);
    EXPECT_EQ(Value(all[2]["w"]).as_tensor().numel(), 2);
    EXPECT_EQ(gather_object(rank, 1).size(), rank == 1 ? 3u : 0u);
    Values list = {rank, "text"};
    broadcast_object_list(list, 2);
    EXPECT_EQ(list[0].as_int(), 2);
    EXPECT_EQ(scatter_object_list(rank == 0 ? Values{5, 6, 7} : Values{}, 0).as_int(), 5 + rank);
  });
}

TEST(Objects, RejectLengthsThatDiffer) {
  const auto errors = test::errors_on_ranks(2, [](int rank) {
    Values list(static_cast<std::size_t>(rank + 1));
    broadcast_object_list(list, 0);
  });
  EXPECT_EQ(errors[0], "");
  EXPECT_TRUE(contains(errors[1], "got a list of 2 objects, rank 0 sent 1"));
}

}  // namespace
}  // namespace taper::distributed
