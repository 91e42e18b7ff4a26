// Loaders: batches, PyTorch's orders, threads, errors.
#include "taper/data/data_loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/error.h"

namespace taper {
namespace {

using test::error_text, test::to_vector;

using data::DataLoader;
using data::DataLoaderOptions;
using data::TensorDataset;
using Batches = std::vector<std::vector<std::int64_t>>;

template <class D> Batches one_pass(DataLoader<D>& loader) {
  Batches all;
  for (auto& [x] : loader) all.push_back(to_vector<std::int64_t>(x));
  return all;
}

TEST(TensorDataset, GivesExamplesAndBatches) {
  const TensorDataset set(arange(12).view({4, 3}), arange(4));
  EXPECT_EQ(set.size(), 4);
  const auto [x, y] = set.get(2);
  EXPECT_EQ(to_vector<std::int64_t>(x), (std::vector<std::int64_t>{6, 7, 8}));
  EXPECT_EQ(y.item<int>(), 2);
  EXPECT_EQ(std::get<1>(set.get(-1)).item<int>(), 3);
  EXPECT_THROW(set.get(4), IndexError);
  const std::vector<std::int64_t> rows{3, 0};
  const auto [xs, ys] = set.get_batch(rows);
  EXPECT_EQ(xs.shape(), Shape({2, 3}));
  EXPECT_EQ(to_vector<std::int64_t>(ys), (std::vector<std::int64_t>{3, 0}));
  const data::Subset some(set, {1, 3});
  EXPECT_EQ(some.size(), 2);
  EXPECT_EQ(std::get<1>(some.get(1)).item<int>(), 3);
}

TEST(TensorDataset, RefusesTensorsOfDifferentSizes) {
  EXPECT_EQ(error_text<ValueError>([&] { TensorDataset set(arange(3), arange(4)); }),
            "TensorDataset: Size mismatch between tensors: got 3, 4 examples, expected equal "
            "numbers");
}

TEST(DataLoader, CutsBatches) {
  const TensorDataset set(arange(7));
  DataLoader loader(set, {.batch_size = 3});
  EXPECT_EQ(loader.size(), 3);
  EXPECT_EQ(one_pass(loader), (Batches{{0, 1, 2}, {3, 4, 5}, {6}}));
  DataLoader full(set, {.batch_size = 3, .drop_last = true});
  EXPECT_EQ(full.size(), 2);
  EXPECT_EQ(one_pass(full), (Batches{{0, 1, 2}, {3, 4, 5}}));
  DataLoader none(TensorDataset(arange(0)), {.batch_size = 3});
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(one_pass(none).empty());
}

// The numbers below were drawn by PyTorch 2.15.
TEST(DataLoader, ShufflesAsPyTorchDoes) {
  manual_seed(3);
  DataLoader loader(TensorDataset(arange(10)), {.batch_size = 4, .shuffle = true});
  EXPECT_EQ(one_pass(loader), (Batches{{6, 2, 0, 1}, {8, 3, 5, 4}, {7, 9}}));
  EXPECT_EQ(one_pass(loader), (Batches{{3, 4, 0, 9}, {6, 7, 1, 2}, {5, 8}}));
  EXPECT_NEAR(rand({1}).item<float>(), 0.5944, 5e-5);
}

TEST(DataLoader, ShufflesByItsOwnGenerator) {
  const Generator generator(7);
  DataLoader loader(TensorDataset(arange(10)),
                    {.batch_size = 4, .shuffle = true, .drop_last = true, .generator = generator});
  EXPECT_EQ(one_pass(loader), (Batches{{1, 3, 5, 7}, {9, 4, 6, 2}}));
  EXPECT_EQ(one_pass(loader), (Batches{{5, 1, 6, 0}, {9, 7, 8, 4}}));
  EXPECT_EQ(to_vector<std::int64_t>(randint(100, {2}, {}, generator)),
            (std::vector<std::int64_t>{79, 61}));
}

TEST(RandomSampler, DrawsAsPyTorchDoes) {
  manual_seed(5);
  data::RandomSampler with(7, {.replacement = true, .num_samples = 40});
  EXPECT_EQ(with.order(), (std::vector<std::int64_t>{5, 2, 6, 1, 2, 3, 2, 1, 4, 3, 5, 2, 5, 1,
                                                     5, 5, 6, 4, 1, 4, 3, 4, 2, 5, 6, 4, 2, 0,
                                                     3, 0, 3, 5, 1, 1, 1, 2, 2, 1, 2, 4}));
  data::RandomSampler more(7, {.num_samples = 10});
  EXPECT_EQ(more.order(), (std::vector<std::int64_t>{0, 3, 6, 2, 1, 4, 5, 6, 5, 4}));
  EXPECT_EQ(randint(1000, {1}).item<int>(), 6);
}

struct Backwards : data::Sampler {
  std::int64_t size() const override { return 5; }
  std::vector<std::int64_t> order() override { return {4, 3, 2, 1, 0}; }
};
struct Pairs : data::BatchSampler {
  std::int64_t size() const override { return 2; }
  Batches batches() override { return {{0, 4}, {1, 3}}; }
};

TEST(DataLoader, TakesSamplersOfOnesOwn) {
  const TensorDataset set(arange(5));
  DataLoader backwards(set, {.batch_size = 2, .sampler = std::make_shared<Backwards>()});
  EXPECT_EQ(one_pass(backwards), (Batches{{4, 3}, {2, 1}, {0}}));
  DataLoader pairs(set, {.batch_sampler = std::make_shared<Pairs>()});
  EXPECT_EQ(pairs.size(), 2);
  EXPECT_EQ(one_pass(pairs), (Batches{{0, 4}, {1, 3}}));
  const auto order = std::make_shared<data::OrderSampler>(std::vector<std::int64_t>{2, 2});
  DataLoader given(set, {.sampler = order});
  EXPECT_EQ(one_pass(given), (Batches{{2}, {2}}));
  order->set_order({1});
  EXPECT_EQ(one_pass(given), (Batches{{1}}));
}

TEST(DataLoader, GivesTheSameBatchesWithThreads) {
  const TensorDataset set(arange(100));
  manual_seed(1);
  DataLoader alone(set, {.batch_size = 7, .shuffle = true});
  const Batches expected = one_pass(alone);
  for (int workers : {1, 2, 5}) {
    manual_seed(1);
    DataLoader loader(set, {.batch_size = 7, .shuffle = true, .num_workers = workers});
    EXPECT_EQ(one_pass(loader), expected);
  }
}

TEST(DataLoader, StopsItsThreadsWhenTheLoopIsLeft) {
  DataLoader loader(TensorDataset(arange(1000)), {.num_workers = 3, .prefetch_factor = 4});
  for (int pass = 0; pass < 3; ++pass) {
    int seen = 0;
    for (auto& [x] : loader) {
      EXPECT_EQ(x.item<int>(), seen);
      if (++seen == 5) break;
    }
    EXPECT_EQ(seen, 5);
  }
}

/// Examples made on the fly: numbers, tensors, text.
struct Squares {
  std::int64_t bad = -1;
  mutable std::shared_ptr<std::atomic<int>> reads = std::make_shared<std::atomic<int>>(0);

  std::int64_t size() const { return 20; }
  std::tuple<Tensor, std::int64_t, double, std::string> get(std::int64_t i) const {
    ++*reads;
    if (i == bad) throw IndexError("squares: nothing here");
    return {full({2}, i), i * i, 0.5 * static_cast<double>(i), std::to_string(i)};
  }
};

TEST(DataLoader, BatchesExamplesOfAnyType) {
  DataLoader loader(Squares{}, {.batch_size = 3});
  auto it = loader.begin();
  ++it;
  const auto& [x, square, half, text] = *it;
  EXPECT_EQ(x.shape(), Shape({3, 2}));
  EXPECT_EQ(to_vector<std::int64_t>(x), (std::vector<std::int64_t>{3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(to_vector<std::int64_t>(square), (std::vector<std::int64_t>{9, 16, 25}));
  EXPECT_EQ(half.dtype(), DType::f64);
  EXPECT_EQ(text, (std::vector<std::string>{"3", "4", "5"}));
}

TEST(DataLoader, BringsErrorsToTheLoopWithTheIndex) {
  for (int workers : {0, 2}) {
    DataLoader loader(Squares{.bad = 13}, {.batch_size = 4, .num_workers = workers});
    int batches = 0;
    EXPECT_EQ(error_text<IndexError>([&] {
                for (auto& batch : loader)
                  batches += static_cast<int>(std::get<0>(batch).size(0)) / 4;
              }),
              "DataLoader: example 13: squares: nothing here");
    EXPECT_EQ(batches, 3);
  }
}

struct Foreign {
  std::int64_t size() const { return 3; }
  int get(std::int64_t) const { throw std::out_of_range("from elsewhere"); }
};

TEST(DataLoader, BringsForeignErrorsToo) {
  DataLoader loader(Foreign{});
  try {
    for (const Tensor& x : loader) FAIL() << x.str();
    FAIL();
  } catch (const RuntimeError& e) {
    EXPECT_STREQ(e.what(), "DataLoader: example 0: from elsewhere");
    EXPECT_THROW(std::rethrow_if_nested(e), std::out_of_range);
  }
}

TEST(DataLoader, ReadsAheadNoFurtherThanTold) {
  const Squares set;
  DataLoader loader(set, {.batch_size = 2, .num_workers = 1, .prefetch_factor = 3});
  auto it = loader.begin();  // one batch taken, three ahead
  for (int i = 0; i < 200 && *set.reads < 8; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(*set.reads, 8);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*set.reads, 8);
}

struct AsksWho {
  std::int64_t size() const { return 6; }
  std::int64_t get(std::int64_t) const {
    const data::WorkerInfo* info = data::get_worker_info();
    return info ? static_cast<std::int64_t>(info->seed) - info->id : -1;
  }
};

TEST(DataLoader, TellsWorkersWhoTheyAre) {
  manual_seed(0);
  const auto base = empty({}, {.dtype = DType::i64}).random_().item<std::int64_t>();
  manual_seed(0);
  DataLoader loader(AsksWho{}, {.num_workers = 2});
  for (const Tensor& seed : loader) EXPECT_EQ(seed.item<std::int64_t>(), base);
  EXPECT_EQ(data::get_worker_info(), nullptr);
}

void expect_refused(const DataLoaderOptions& options, const std::string& text) {
  EXPECT_EQ(error_text<ValueError>([&] { DataLoader loader(TensorDataset(arange(3)), options); }),
            text);
}

TEST(DataLoader, RefusesOptionsThatDoNotGoTogether) {
  expect_refused({.batch_size = 0},
                 "batch_size should be a positive integer value, but got batch_size=0");
  expect_refused({.shuffle = true, .sampler = std::make_shared<Backwards>()},
                 "sampler option is mutually exclusive with shuffle");
  expect_refused({.shuffle = true, .batch_sampler = std::make_shared<Pairs>()},
                 "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                 "and drop_last");
  expect_refused({.num_workers = -1},
                 "num_workers option should be non-negative; use num_workers=0 to disable "
                 "multiprocessing.");
  expect_refused({.prefetch_factor = 2},
                 "prefetch_factor option could only be specified in multiprocessing.let "
                 "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to "
                 "None.");
  EXPECT_THROW(DataLoader(TensorDataset(arange(0)), {.shuffle = true}), ValueError);
}

}  // namespace
}  // namespace taper
