// Collectives of an engine, compared with those of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/dist/dist.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using Results = std::vector<Tensor>;
using RankBody = SharedFunction<Results(const Group& group)>;

/// Runs `body` on threads with the same ranks and returns the results of this rank.
Results results_of_threads(const RankBody& body, const GroupOptions& options) {
  const int own = get_rank(), size = get_world_size();
  Results results;
  spawn_threads(size, [&](int rank) {
    init_process_group({.deterministic = options.deterministic});
    const Results mine = body(default_group());
    if (rank == own) results = mine;
  });
  return results;
}

/// Expects the same results from the engine and from threads. MPI has its own order of summation.
void expect_as_threads(const RankBody& body) {
  for (const bool deterministic : {true, false}) {
    const Group group = new_group({}, {.deterministic = deterministic});
    const Results results = body(group), expected = results_of_threads(body, group->options());
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Tensor &a = results[i], &b = expected[i];
      if (deterministic || get_backend() == "gloo" || !is_floating_point(a.dtype()))
        EXPECT_TRUE(equal(a, b)) << "result " << i << ": " << a << ", expected " << b;
      else
        EXPECT_TRUE(
            allclose(a.to(float64), b.to(float64), a.dtype() == bfloat16 ? 0.04 : 4e-3, 1e-2))
            << "result " << i << ": " << a << ", expected " << b;
    }
    destroy_process_group(group);
  }
}

/// Returns numbers that differ between ranks, as a vector of `dtype`.
Tensor numbers_of(const Group& group, std::int64_t size, DType dtype, int seed = 0) {
  manual_seed(static_cast<std::uint64_t>(100 * seed + group->rank()));
  if (is_floating_point(dtype)) return randn({size}).to(dtype);
  return randint(0, dtype == DType::bool_ ? 2 : 100, {size}).to(dtype);
}

constexpr DType kTypes[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64,
                            DType::i32, DType::i16, DType::i8,  DType::u8,   DType::bool_};

std::vector<ReduceOp> ops_of(DType dtype) {
  if (is_floating_point(dtype))
    return {ReduceOp::sum, ReduceOp::avg, ReduceOp::product, ReduceOp::min, ReduceOp::max};
  return {ReduceOp::sum,  ReduceOp::product, ReduceOp::min, ReduceOp::max,
          ReduceOp::band, ReduceOp::bor,     ReduceOp::bxor};
}

TEST(Engine, ReducesAllTypes) {
  expect_as_threads([](const Group& group) {
    Results results;
    for (const DType dtype : kTypes)
      for (const ReduceOp op : ops_of(dtype)) {
        const Tensor x = numbers_of(group, 37, dtype);
        all_reduce(x, {.op = op, .group = group});
        const Tensor y = numbers_of(group, 11, dtype, 1);
        reduce(y, group->size() - 1, {.op = op, .group = group});
        std::vector<Tensor> parts;
        for (int r = 0; r < group->size(); ++r)
          parts.push_back(numbers_of(group, 2 * r, dtype, 2 + r));
        const Tensor z = empty({2 * group->rank()}, {.dtype = dtype});
        reduce_scatter(z, parts, {.op = op, .group = group});
        results.insert(results.end(), {x, y, z});
      }
    return results;
  });
}

TEST(Engine, ReducesLargeAndEmptyTensors) {
  expect_as_threads([](const Group& group) {
    Results results;
    for (const std::int64_t size : {0, 1, 3, 1000, 100'003, 1'500'000}) {
      results.push_back(numbers_of(group, size, DType::f32));
      all_reduce(results.back(), {.group = group});
    }
    return results;
  });
}

// The first group of all ranks of an MPI job on one node reduces through the memory that they
// share, in the order of the ranks.
TEST(Engine, ReducesInSharedMemory) {
  const bool has_window = get_backend() != "gloo";
  const auto reduce_all = [](const Group& group) {
    Results results;
    std::vector<Work> works;
    for (const DType dtype : kTypes)
      for (const std::int64_t size : {150'000, 1'234'567})
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
          results.push_back(numbers_of(group, size, dtype));
          works.push_back(all_reduce(results.back(), {.op = op, .group = group, .async_op = true}));
        }
    for (Work& work : works) work.wait();
    return results;
  };
  for (int round = 0; round < 2; ++round) {
    const Results results = reduce_all(default_group()),
                  expected = results_of_threads(reduce_all, {.deterministic = has_window});
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(equal(results[i], expected[i])) << "result " << i << " of " << results[i].dtype();
  }
}

TEST(Engine, PropagatesNaN) {
  expect_as_threads([](const Group& group) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = tensor({group->rank() == 0 ? nan : 1.0f, group->rank() == 1 ? nan : 1.0f});
    const Tensor y = x.clone();
    all_reduce(x, {.op = ReduceOp::min, .group = group});
    all_reduce(y, {.op = ReduceOp::max, .group = group});
    return Results{isnan(x), isnan(y)};
  });
}

TEST(Engine, CopiesWithUnevenCounts) {
  expect_as_threads([](const Group& group) {
    const int rank = group->rank(), size = group->size();
    Results results;
    for (const DType dtype : kTypes) {
      for (int root = 0; root < size; ++root) {
        const Tensor x = numbers_of(group, 5, dtype);
        broadcast(x, root, {.group = group});
        results.push_back(x);
        std::vector<Tensor> gathered, scattered;
        for (int r = 0; r < size; ++r) {
          if (rank == root) gathered.push_back(empty({r + 1}, {.dtype = dtype}));
          if (rank == root) scattered.push_back(numbers_of(group, 2 * r, dtype, r));
        }
        gather(numbers_of(group, rank + 1, dtype), gathered, root, {.group = group});
        const Tensor part = empty({2 * rank}, {.dtype = dtype});
        scatter(part, scattered, root, {.group = group});
        results.push_back(part);
        results.insert(results.end(), gathered.begin(), gathered.end());
      }
      std::vector<Tensor> all, uneven;
      for (int r = 0; r < size; ++r) {
        all.push_back(empty({r}, {.dtype = dtype}));
        uneven.push_back(empty({r + 2}, {.dtype = dtype}));
      }
      all_gather(all, numbers_of(group, rank, dtype), {.group = group});
      all_gather(uneven, numbers_of(group, rank + 2, dtype), {.group = group});
      results.insert(results.end(), all.begin(), all.end());
      results.insert(results.end(), uneven.begin(), uneven.end());
    }
    return results;
  });
}

TEST(Engine, ExchangesWithUnevenCounts) {
  expect_as_threads([](const Group& group) {
    const int rank = group->rank(), size = group->size();
    std::vector<std::int64_t> sent, received;
    std::int64_t total = 0, expected = 0;
    for (int r = 0; r < size; ++r) {
      sent.push_back(rank + 2 * r), received.push_back(r + 2 * rank);
      total += sent.back(), expected += received.back();
    }
    const Tensor out = empty({expected});
    all_to_all_single(out, numbers_of(group, total, DType::f32),
                      {.output_split_sizes = received, .input_split_sizes = sent, .group = group});
    return Results{out};
  });
}

TEST(Engine, SendsMessagesWithTags) {
  expect_as_threads([](const Group& group) {
    const int rank = group->rank(), size = group->size();
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    const Tensor a = empty({3}), b = empty({2}), none = empty({0});
    if (size == 1) return Results{};
    // Received in another order than sent; the second message with a tag follows the first.
    const Work works[] = {isend(numbers_of(group, 3, DType::f32, 1), next, {group, 7}),
                          isend(numbers_of(group, 2, DType::f32, 2), next, {group, 8}),
                          isend(numbers_of(group, 3, DType::f32, 3), next, {group, 7}),
                          isend(empty({0}), next, {group, 9})};
    recv(b, previous, {group, 8});
    recv(a, previous, {group, 7});
    const Tensor c = empty({3});
    EXPECT_EQ(recv(c, previous, {group, 7}), previous);
    recv(none, previous, {group, 9});
    for (const Work& work : works) work.wait();
    return Results{a, b, c};
  });
}

TEST(Engine, ReceivesFromAnyRank) {
  const int rank = get_rank(), size = get_world_size();
  if (rank > 0) return send(full({2}, static_cast<float>(rank)), 0, {.tag = 3});
  int sum = 0;
  for (int r = 1; r < size; ++r) {
    const Tensor x = empty({2});
    const int source = recv(x, {}, {.tag = 3});
    EXPECT_TRUE(equal(x, full({2}, static_cast<float>(source))));
    sum += source;
  }
  EXPECT_EQ(sum, size * (size - 1) / 2);
}

TEST(Engine, TestsWithoutWaiting) {
  const int rank = get_rank(), size = get_world_size();
  if (size == 1) GTEST_SKIP() << "one rank";
  const Tensor x = full({2}, static_cast<float>(rank)), y = empty({2});
  if (rank == 0) {
    const Work work = irecv(y, 1);
    EXPECT_FALSE(work.is_completed());
    barrier();
    while (!work.is_completed()) {}
    EXPECT_EQ(work.source_rank(), 1);
    EXPECT_TRUE(equal(y, full({2}, 1.0f)));
  } else {
    barrier();
    if (rank == 1) send(x, 0);
  }
  const Work sum = all_reduce(x, {.async_op = true});
  while (!sum.is_completed()) {}
  EXPECT_TRUE(equal(x, full({2}, static_cast<float>(size * (size - 1) / 2))));
}

TEST(Engine, CompletesManyCollectivesInAnyOrder) {
  const int size = get_world_size();
  std::vector<Tensor> tensors;
  std::vector<Work> works;
  for (int i = 0; i < 50; ++i) {
    tensors.push_back(full({1 + 100 * (i % 7)}, static_cast<float>(i + get_rank())));
    works.push_back(all_reduce(tensors.back(), {.async_op = true}));
  }
  for (int i = 49; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    works[k].wait();
    const auto sum = static_cast<float>(size * i + size * (size - 1) / 2);
    EXPECT_TRUE(equal(tensors[k], full(tensors[k].shape(), sum)));
  }
}

// Reductions in the order of the ranks consist of several operations, some of which begin within
// the waits of a rank. Ranks may wait in different orders.
TEST(Engine, CompletesPendingCallsInAnyOrder) {
  for (const bool deterministic : {true, false}) {
    const Group group = new_group({}, {.deterministic = deterministic});
    const auto size = static_cast<float>(group->size());
    std::vector<Tensor> tensors;
    std::vector<Work> works;
    for (int i = 0; i < 6; ++i) {
      tensors.push_back(full({100 + i}, 1.0f));
      const Tensor& x = tensors.back();
      works.push_back(i % 3 == 0 ? reduce(x, i % group->size(), {.group = group, .async_op = true})
                      : i % 3 == 1 ? all_reduce(x, {.group = group, .async_op = true})
                                   : broadcast(x, 0, {.group = group, .async_op = true}));
      if (group->rank() > 0) (void)works.front().is_completed();
    }
    if (group->rank() == 0) std::reverse(works.begin(), works.end());
    for (const Work& work : works) work.wait();
    for (int i = 0; i < 6; ++i) {
      if (i % 3 == 0 && i % group->size() != group->rank()) continue;
      const Tensor expected = full({100 + i}, i % 3 == 2 ? 1.0f : size);
      EXPECT_TRUE(equal(tensors[static_cast<std::size_t>(i)], expected)) << "call " << i;
    }
    destroy_process_group(group);
  }
}

TEST(Engine, ComparesCallsInDebugMode) {
  set_debug_level(DebugLevel::detail);
  const Tensor x = ones({2});
  all_reduce(x);
  broadcast(x, 0);
  std::vector<Tensor> sent, received;
  for (int r = 0; r < get_world_size(); ++r) {
    sent.push_back(ones({get_rank() + 2 * r}));
    received.push_back(empty({r + 2 * get_rank()}));
  }
  all_to_all(received, sent);
  EXPECT_EQ(gather_object(get_rank(), 0).empty(), get_rank() != 0);
  barrier();
  set_debug_level(DebugLevel::off);
  EXPECT_TRUE(equal(x, full({2}, static_cast<float>(get_world_size()))));
}

TEST(Engine, CanBeInitializedAgain) {
  barrier();
  destroy_process_group();
  init_process_group({.timeout = Timeout(120)});
  const Tensor x = ones({2});
  all_reduce(x);
  EXPECT_TRUE(equal(x, full({2}, static_cast<float>(get_world_size()))));
  EXPECT_GE(get_node_local_rank(0), 0);
}

}  // namespace
}  // namespace taper::distributed
