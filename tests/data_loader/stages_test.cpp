// Stages of data loaders, and their statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "support/error_text.h"
#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/data/data_loader.h"
#include "taper/data/image.h"
#include "taper/data/image_folder.h"

namespace taper {
namespace {

using test::error_text, test::to_vector;

using data::DataLoader;
using data::DataLoaderOptions;

/// Threads that called a stage.
struct Threads {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  void add() {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  }
};

struct Staged {
  std::int64_t count = 20;
  std::shared_ptr<Threads> fetching = std::make_shared<Threads>(),
                           decoding = std::make_shared<Threads>();
  std::int64_t failing_fetch = -1, failing_decode = -1;
  std::chrono::milliseconds fetch_time{0}, decode_time{0};

  std::int64_t size() const { return count; }
  std::string fetch(std::int64_t i) const {
    fetching->add();
    if (i == failing_fetch) throw IoError("cannot fetch");
    std::this_thread::sleep_for(fetch_time);
    return std::to_string(i);
  }
  std::int64_t decode(const std::string& text) const {
    decoding->add();
    const std::int64_t i = std::stoll(text);
    if (i == failing_decode) throw ValueError("cannot decode");
    std::this_thread::sleep_for(decode_time);
    return i * 10;
  }
  std::int64_t get(std::int64_t i) const { return decode(fetch(i)); }
};
static_assert(data::StagedDataset<Staged> && data::StagedDataset<data::Subset<Staged>> &&
              data::StagedDataset<data::ImageFolder>);
static_assert(!data::StagedDataset<data::TensorDataset<1>>);

template <class L> std::vector<std::int64_t> all_examples(L& loader) {
  std::vector<std::int64_t> all;
  for (auto& batch : loader)
    for (const std::int64_t x : to_vector<std::int64_t>(batch)) all.push_back(x);
  return all;
}

TEST(StageThreads, ReturnTheBatchesOfALoaderWithoutThreads) {
  const DataLoaderOptions plain{.batch_size = 3, .shuffle = true};
  DataLoaderOptions staged = plain;
  staged.stage_threads = {{.fetch = 3, .decode = 2, .collate = 1}};
  manual_seed(4);
  DataLoader<Staged> first(Staged{}, plain);
  const auto expected = all_examples(first);
  manual_seed(4);
  DataLoader<Staged> second(Staged{}, staged);
  EXPECT_EQ(all_examples(second), expected);
  EXPECT_EQ(expected.size(), 20u);
}

TEST(StageThreads, ExecuteOneStageEach) {
  const Staged set;
  DataLoader<Staged> loader(set, {.stage_threads = {{.fetch = 3, .decode = 2}}});
  static_cast<void>(all_examples(loader));
  EXPECT_LE(set.fetching->ids.size(), 3u);
  EXPECT_LE(set.decoding->ids.size(), 2u);
  for (const std::thread::id id : set.fetching->ids) EXPECT_FALSE(set.decoding->ids.contains(id));
  EXPECT_FALSE(set.fetching->ids.contains(std::this_thread::get_id()));
}

TEST(StageThreads, SkipTheStagesThatADatasetDoesNotHave) {
  DataLoader tensors(data::TensorDataset(arange(10)),
                     {.batch_size = 4, .stage_threads = data::StageThreads{}});
  std::vector<std::int64_t> all;
  for (auto& [x] : tensors)
    for (const std::int64_t i : to_vector<std::int64_t>(x)) all.push_back(i);
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(tensors.statistics().stages.size(), 1u);
}

struct Drawing {
  std::int64_t size() const { return 6; }
  std::int64_t fetch(std::int64_t i) const { return i; }
  std::int64_t decode(std::int64_t) const { return randint(1 << 20, {}).item<std::int64_t>(); }
  std::int64_t get(std::int64_t i) const { return decode(fetch(i)); }
};

TEST(StageThreads, DrawNumbersByBatch) {
  const auto run = [](data::StageThreads threads, bool persistent = false) {
    manual_seed(3);
    DataLoader<Drawing> loader(
        Drawing{}, {.batch_size = 2, .persistent_workers = persistent, .stage_threads = threads});
    std::vector<std::int64_t> all = all_examples(loader);
    for (const std::int64_t x : all_examples(loader)) all.push_back(x);
    return all;
  };
  const auto all = run({.decode = 1});
  EXPECT_EQ(run({.decode = 3}), all);
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), 12u);  // of two epochs
  const auto kept = run({.decode = 2}, true);
  EXPECT_EQ(std::set<std::int64_t>(kept.begin(), kept.end()).size(), 12u);
}

TEST(StageThreads, ReportErrorsWithTheIndex) {
  Staged set;
  set.failing_fetch = 3, set.failing_decode = 6;
  DataLoader<Staged> loader(set, {.batch_size = 2, .stage_threads = data::StageThreads{}});
  std::vector<std::string> errors;
  std::int64_t batches = 0;
  for (auto at = loader.begin(); at != loader.end(); ++at) {
    const std::string text = error_text([&] { return *at; });
    if (text.empty())
      ++batches;
    else
      errors.push_back(text);
  }
  EXPECT_EQ(batches, 8);
  EXPECT_EQ(errors, (std::vector<std::string>{"DataLoader: example 3: cannot fetch",
                                              "DataLoader: example 6: cannot decode"}));
}

/// Example 0 is decoded after all others.
struct LateFirst {
  std::int64_t count = 8;
  std::shared_ptr<std::atomic<int>> decoded = std::make_shared<std::atomic<int>>(0);
  std::int64_t size() const { return count; }
  std::int64_t fetch(std::int64_t i) const { return i; }
  std::int64_t decode(std::int64_t i) const {
    while (i == 0 && *decoded < count - 1) std::this_thread::yield();
    ++*decoded;
    return i;
  }
  std::int64_t get(std::int64_t i) const { return decode(fetch(i)); }
};

TEST(StageThreads, ReturnBatchesAsTheyFinishIfNotInOrder) {
  DataLoader<LateFirst> loader(
      LateFirst{},
      {.prefetch_factor = 8, .in_order = false, .stage_threads = {{.fetch = 1, .decode = 2}}});
  std::vector<std::int64_t> all = all_examples(loader);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all.back(), 0);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(StageThreads, ReturnErrorsAsTheyHappenIfNotInOrder) {
  Staged set;
  set.failing_fetch = 3, set.failing_decode = 6;
  DataLoader<Staged> loader(
      set, {.batch_size = 2, .in_order = false, .stage_threads = {{.fetch = 2, .decode = 2}}});
  std::multiset<std::int64_t> examples;
  std::set<std::string> errors;
  for (auto at = loader.begin(); at != loader.end(); ++at) {
    const std::string text = error_text([&] {
      for (const std::int64_t x : to_vector<std::int64_t>(*at)) examples.insert(x / 10);
    });
    if (!text.empty()) errors.insert(text);
  }
  EXPECT_EQ(examples.size(), 16u);
  EXPECT_FALSE(examples.contains(2) || examples.contains(7)) << "of the failed batches";
  EXPECT_EQ(errors, (std::set<std::string>{"DataLoader: example 3: cannot fetch",
                                           "DataLoader: example 6: cannot decode"}));
}

TEST(StageThreads, StopWithFullQueues) {
  for (int i = 0; i < 20; ++i) {
    DataLoader<Staged> loader(Staged{.count = 200}, {.prefetch_factor = 10,
                                                     .stage_threads = {{.fetch = 2, .decode = 2}}});
    auto at = loader.begin();
    for (int k = 0; k < i; ++k) ++at;
  }
}

TEST(StageThreads, PrefetchNoMoreThanPrefetchFactor) {
  struct Counting {
    std::shared_ptr<std::atomic<int>> fetched = std::make_shared<std::atomic<int>>(0);
    std::int64_t size() const { return 100; }
    std::int64_t get(std::int64_t i) const {
      ++*fetched;
      return i;
    }
  } set;
  DataLoader<Counting> loader(set, {.prefetch_factor = 1, .stage_threads = data::StageThreads{}});
  auto at = loader.begin();
  static_cast<void>(*at);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(*set.fetched, 4);  // three threads, and the batch that was returned
}

TEST(StageThreads, RejectConflictingOptions) {
  const auto error = [](DataLoaderOptions options) {
    return error_text<ValueError>([&] { return DataLoader<Staged>(Staged{}, options).size(); });
  };
  EXPECT_EQ(error({.num_workers = 1, .stage_threads = data::StageThreads{}}),
            "DataLoader: stage_threads is mutually exclusive with num_workers and worker_init_fn");
  EXPECT_EQ(error({.stage_threads = {{.fetch = 1, .decode = 0}}}),
            "DataLoader: stage_threads: expected positive numbers of threads, got 1, 0 and 1");
}

TEST(DataLoaderStatistics, NameTheSlowStage) {
  Staged set;
  set.count = 8;
  set.decode_time = std::chrono::milliseconds(4);
  DataLoader<Staged> loader(set, {.batch_size = 2, .num_workers = 2});
  EXPECT_EQ(loader.statistics().slowest(), "");
  static_cast<void>(all_examples(loader));
  const data::DataLoaderStatistics statistics = loader.statistics();
  EXPECT_EQ(statistics.batches, 4);
  ASSERT_EQ(statistics.stages.size(), 3u);
  EXPECT_EQ(statistics.stages[1].name, "decode");
  EXPECT_EQ(statistics.stages[1].threads, 2);
  EXPECT_EQ(statistics.stages[1].batches, 4);
  EXPECT_GE(statistics.stages[1].seconds, 8 * 0.004);
  EXPECT_EQ(statistics.slowest(), "decode");
  const std::string text = statistics.str();
  EXPECT_NE(text.find("decode "), std::string::npos) << text;
  EXPECT_NE(text.find("slowest: decode\n"), std::string::npos) << text;
  loader.reset_statistics();
  EXPECT_EQ(loader.statistics().batches, 0);
}

TEST(DataLoaderStatistics, NameTheLoopIfItDoesNotWait) {
  DataLoader loader(data::TensorDataset(arange(6)), {.batch_size = 2});
  for (auto& batch : loader) {
    static_cast<void>(batch);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const data::DataLoaderStatistics statistics = loader.statistics();
  EXPECT_EQ(statistics.slowest(), "loop");
  EXPECT_GE(statistics.loop_seconds, 0.06);
  EXPECT_LT(statistics.wait_seconds, 0.05 * statistics.loop_seconds);
}

TEST(DataLoaderStatistics, MeasureTheCollateFunction) {
  const auto collate = [](std::vector<std::int64_t>&& examples) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return tensor(examples);
  };
  DataLoader<Staged, decltype(collate)> loader(Staged{.count = 4}, {.batch_size = 2}, collate);
  static_cast<void>(all_examples(loader));
  EXPECT_EQ(loader.statistics().slowest(), "collate");
}

TEST(ImageFolder, IsReadInStages) {
  const test::TempDir dir;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(dir / name);
    data::write_png(full({3, 2, 2}, name[0], {.dtype = uint8}), dir / name + "/0.png");
  }
  const data::ImageFolder set(dir.path());
  DataLoader<data::ImageFolder> loader(set,
                                       {.batch_size = 2, .stage_threads = data::StageThreads{}});
  for (auto& [images, targets] : loader) {
    EXPECT_EQ(images.shape(), Shape({2, 3, 2, 2}));
    EXPECT_EQ(images[1][0][0][0].item<int>(), 'b');
    EXPECT_EQ(to_vector<std::int64_t>(targets), (std::vector<std::int64_t>{0, 1}));
  }
  EXPECT_EQ(loader.statistics().stages.size(), 3u);
  EXPECT_EQ(set.fetch(1).path, dir / "b/0.png");
}

}  // namespace
}  // namespace taper
