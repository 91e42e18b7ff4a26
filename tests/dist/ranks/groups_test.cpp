// Groups of some ranks, objects and lists of messages on an engine.
#include <gtest/gtest.h>

#include "taper/core/factory.h"
#include "taper/dist/dist.h"

namespace taper::distributed {
namespace {

Tensor filled(std::int64_t size, int value) { return full({size}, static_cast<float>(value)); }

void expect_filled(const Tensor& x, std::int64_t size, int value) {
  EXPECT_TRUE(equal(x, filled(size, value))) << x << ", expected " << value;
}

/// The group of the first and the last rank, in which both call all collectives.
class EndsOfTheJob {
 public:
  EndsOfTheJob() : group_(new_group({last_, 0})) {}
  const Group& group() const { return group_; }

  void reduce_tensors() const {
    const ReduceOptions sum{.group = group_};
    const Tensor x = filled(5, rank_ + 1), y = filled(3, rank_ + 1);
    all_reduce(x, sum);
    expect_filled(x, 5, last_ + 2);
    reduce(y, last_, sum);
    expect_filled(y, 3, is_last_ ? last_ + 2 : 1);
    const Tensor part = empty({1 + index_}), half = empty({2});
    reduce_scatter(part, {filled(1, rank_ + 1), filled(2, rank_ + 2)}, sum);
    expect_filled(part, 1 + index_, is_last_ ? last_ + 4 : last_ + 2);
    reduce_scatter_tensor(half, filled(4, rank_ + 1), sum);
    expect_filled(half, 2, last_ + 2);
  }

  void copy_tensors() const {
    const CollectiveOptions here{.group = group_};
    const Tensor x = filled(4, rank_ + 1);
    broadcast(x, last_, here);
    expect_filled(x, 4, last_ + 1);
    const std::vector<Tensor> all = {empty({1}), empty({2})};
    all_gather(all, filled(1 + index_, rank_), here);
    expect_filled(all[0], 1, 0);
    expect_filled(all[1], 2, last_);
    const Tensor stacked = empty({2, 3});
    all_gather_into_tensor(stacked, filled(3, rank_), here);
    expect_filled(stacked[1], 3, last_);
    std::vector<Tensor> gathered, scattered;
    if (is_last_) gathered = {empty({2}), empty({3})};
    gather(filled(2 + index_, rank_ + 1), gathered, last_, here);
    if (is_last_) expect_filled(gathered[0], 2, 1), expect_filled(gathered[1], 3, last_ + 1);
    if (is_last_) scattered = {filled(2, 5), filled(3, 6)};
    const Tensor part = empty({2 + index_});
    scatter(part, scattered, last_, here);
    expect_filled(part, 2 + index_, 5 + index_);
  }

  void exchange_tensors() const {
    // Rank i of the group sends 1 + i + 2 j elements to rank j.
    const std::vector<Tensor> sent = {filled(1 + index_, 10 * index_),
                                      filled(3 + index_, 10 * index_ + 1)};
    const std::vector<Tensor> received = {empty({1 + 2 * index_}), empty({2 + 2 * index_})};
    all_to_all(received, sent, {.group = group_});
    expect_filled(received[0], 1 + 2 * index_, index_);
    expect_filled(received[1], 2 + 2 * index_, 10 + index_);
    const Tensor rows = empty({2});
    all_to_all_single(rows, tensor({1.0f * static_cast<float>(rank_), 9.0f}), {.group = group_});
    EXPECT_EQ(rows[0].item<float>(), is_last_ ? 9.0f : 0.0f);
    EXPECT_EQ(rows[1].item<float>(), is_last_ ? 9.0f : static_cast<float>(last_));
    barrier({.group = group_});
    monitored_barrier({.group = group_});
  }

  void exchange_messages() const {
    const int peer = is_last_ ? 0 : last_;
    const Tensor x = empty({2});
    const auto works =
        batch_isend_irecv({{P2POp::Kind::isend, filled(2, rank_), peer, {.group = group_}},
                           {P2POp::Kind::irecv, x, peer, {.group = group_}}});
    for (const Work& work : works) work.wait();
    expect_filled(x, 2, peer);
  }

 private:
  int rank_ = get_rank(), last_ = get_world_size() - 1;
  bool is_last_ = rank_ == last_;
  int index_ = is_last_;  ///< rank in the group
  Group group_;
};

TEST(Engine, ExecutesAllCollectivesInAGroupOfSomeRanks) {
  if (get_world_size() == 1) GTEST_SKIP() << "one rank";
  const EndsOfTheJob ends;
  if (ends.group()->rank() >= 0) {
    ends.reduce_tensors();
    ends.copy_tensors();
    ends.exchange_tensors();
    ends.exchange_messages();
  }
  const Tensor x = ones({2});  // of all ranks, after those of some
  all_reduce(x);
  expect_filled(x, 2, get_world_size());
  destroy_process_group(ends.group());
}

TEST(Engine, ExecutesCollectivesOfGroupsThatOverlap) {
  const int rank = get_rank(), size = get_world_size();
  std::vector<int> odd, reversed;
  for (int r = size - 1; r >= 0; --r) {
    if (r % 2) odd.push_back(r);
    reversed.push_back(r);
  }
  if (odd.empty()) GTEST_SKIP() << "one rank";
  const Group some = new_group(odd), all = new_group(reversed);
  const Tensor x = filled(2, rank), y = ones({3});
  if (rank % 2) all_reduce(x, {.group = some});
  all_reduce(y, {.group = all});
  int sum = 0;
  for (const int r : odd) sum += r;
  expect_filled(x, 2, rank % 2 ? sum : rank);
  expect_filled(y, 3, size);
}

TEST(Engine, SendsObjects) {
  const int rank = get_rank(), size = get_world_size(), last = size - 1;
  const std::string mine(static_cast<std::size_t>(rank + 1), 'x');  // of another size on each rank
  const Values all = all_gather_object(mine), at_last = gather_object(mine, last);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
  ASSERT_EQ(at_last.size(), rank == last ? static_cast<std::size_t>(size) : 0u);
  for (const Values& objects : {all, at_last})
    for (std::size_t r = 0; r < objects.size(); ++r)
      EXPECT_EQ(objects[r].as_string(), std::string(r + 1, 'x'));
  Values list = {rank, Value::dict({{"tensor", filled(2, rank)}})}, sent;
  broadcast_object_list(list, last);
  EXPECT_EQ(list[0].as_int(), last);
  expect_filled(Value(list[1]["tensor"]).as_tensor(), 2, last);
  if (rank == last)
    for (int r = 0; r < size; ++r) sent.push_back(std::string(static_cast<std::size_t>(r), 'y'));
  EXPECT_EQ(scatter_object_list(sent, last).as_string(),
            std::string(static_cast<std::size_t>(rank), 'y'));
}

TEST(Engine, SendsListsOfMessages) {
  const int rank = get_rank(), size = get_world_size();
  if (size == 1) GTEST_SKIP() << "one rank";
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const Tensor a = empty({3}), b = empty({2});
  const auto works =
      batch_isend_irecv({{P2POp::Kind::irecv, b, previous, {.tag = 2}},
                         {P2POp::Kind::isend, filled(3, rank), next, {.tag = 1}},
                         {P2POp::Kind::irecv, a, previous, {.tag = 1}},
                         {P2POp::Kind::isend, filled(2, 10 * rank), next, {.tag = 2}}});
  EXPECT_EQ(works.size(), 4u);
  for (const Work& work : works) work.wait();
  expect_filled(a, 3, previous);
  expect_filled(b, 2, 10 * previous);
}

TEST(Engine, ExecutesMonitoredBarriers) {
  monitored_barrier();
  monitored_barrier({.timeout = Timeout(60)});
}

}  // namespace
}  // namespace taper::distributed
