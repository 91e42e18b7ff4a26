// Parallel ranges: coverage, determinism, nesting, exceptions, concurrent callers, changes of the
// number of threads, fork, external thread pools.
#include "cpu/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/build.h"
#include "support/error_text.h"
#include "taper/core/error.h"

namespace taper::cpu {
namespace {

using test::error_text;

class Threads : public testing::Test {
 protected:
  void SetUp() override { before_ = get_num_threads(); }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = 1;
};

TEST_F(Threads, RunEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(get_num_threads(), threads);
    for (const std::int64_t n : {0, 1, 2, 5, 64, 1000})
      for (const std::int64_t grain : {0, 1, 3, 100}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
        parallel_for(10, 10 + n, grain, [&](std::int64_t b, std::int64_t e) {
          EXPECT_LT(b, e);
          for (std::int64_t i = b; i < e; ++i) ++seen[static_cast<std::size_t>(i - 10)];
        });
        for (const auto& s : seen) EXPECT_EQ(s.load(), 1);
      }
  }
}

TEST_F(Threads, ChunksDependOnRangeOnly) {
  set_num_threads(4);
  const int count = chunk_count(103, 1);
  ASSERT_EQ(count, 4);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> begins(4, -1);
    parallel_chunks(count, 0, 103, [&](int c, std::int64_t b, std::int64_t) {
      EXPECT_EQ(chunk_index(), c);
      begins[static_cast<std::size_t>(c)] = b;
    });
    EXPECT_EQ(begins, (std::vector<std::int64_t>{0, 26, 52, 78}));
  }
  EXPECT_EQ(chunk_index(), 0);
}

TEST_F(Threads, GrainLimitsNumberOfChunks) {
  set_num_threads(8);
  EXPECT_EQ(chunk_count(0, 10), 0);
  EXPECT_EQ(chunk_count(10, 10), 1);
  EXPECT_EQ(chunk_count(11, 10), 2);
  EXPECT_EQ(chunk_count(1000, 10), 8);
  const NumThreadsGuard guard(2);
  EXPECT_EQ(chunk_count(1000, 10), 2);
  EXPECT_EQ(available_threads(), 2);
}

TEST_F(Threads, NestedCallsRunOnCaller) {
  set_num_threads(2);
  parallel_for(0, 2, 1, [](std::int64_t, std::int64_t) {
    const auto self = std::this_thread::get_id();
    EXPECT_EQ(available_threads(), 1);
    parallel_for(0, 100, 1, [&](std::int64_t b, std::int64_t e) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      EXPECT_EQ(e - b, 100);
    });
  });
  EXPECT_EQ(available_threads(), 2);
}

TEST_F(Threads, RethrowsExceptionOfLowestChunk) {
  set_num_threads(4);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(error_text<std::runtime_error>([&] {
                parallel_for(0, 4, 1, [](std::int64_t b, std::int64_t) {
                  if (b > 0) throw std::runtime_error("chunk " + std::to_string(b));
                });
              }),
              "chunk 1");
    EXPECT_EQ(available_threads(), 4);
  }
}

TEST_F(Threads, ConcurrentCallersAreIndependent) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int r = 0; r < 50; ++r)
        parallel_for(0, 300, 1, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    });
  for (auto& c : callers) c.join();
  EXPECT_EQ(sum.load(), 4 * 50 * 300);
}

TEST_F(Threads, CallerDoesNotWaitForWorkerWithoutChunk) {
  set_num_threads(2);
  std::atomic<bool> worker_runs{false}, finish{false};
  // Two chunks that wait for each other occupy the only worker.
  std::thread other([&] {
    const auto caller = std::this_thread::get_id();
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      if (std::this_thread::get_id() != caller) {
        worker_runs = true;
        while (!finish) std::this_thread::yield();
      } else {
        while (!worker_runs) std::this_thread::yield();
      }
    });
  });
  while (!worker_runs) std::this_thread::yield();
  for (int r = 0; r < 100; ++r) {
    std::atomic<int> sum{0};
    const auto caller = std::this_thread::get_id();
    parallel_for(0, 64, 1, [&](std::int64_t b, std::int64_t e) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      sum += static_cast<int>(e - b);
    });
    EXPECT_EQ(sum.load(), 64);
  }
  finish = true;
  other.join();
}

TEST_F(Threads, SleepingWorkersWakeUp) {
  set_num_threads(4);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> arrived{0};
    parallel_chunks(4, 0, 4, [&](int, std::int64_t, std::int64_t) {
      ++arrived;  // returns when all four threads have a chunk
      while (arrived < 4) std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 4);
  }
}

TEST_F(Threads, ChangesOfNumberApplyToNextRegion) {
  for (const int threads : {2, 5, 1, 3, 8, 2}) {
    set_num_threads(threads);
    std::atomic<int> running{0}, most{0};
    for (int r = 0; r < 20; ++r)
      parallel_for(0, 100, 1, [&](std::int64_t, std::int64_t) {
        const int now = ++running;
        int before = most.load();
        while (now > before && !most.compare_exchange_weak(before, now)) {}
        --running;
      });
    EXPECT_LE(most.load(), threads);
  }
}

TEST_F(Threads, ReportsExceptionsOfConcurrentCallers) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<int> matching{0};
  for (int t = 0; t < 12; ++t)
    callers.emplace_back([&, t] {
      for (int r = 0; r < 20; ++r) {
        const std::string text = error_text<std::runtime_error>([&] {
          parallel_for(0, 3, 1, [&](std::int64_t, std::int64_t) {
            throw std::runtime_error("caller " + std::to_string(t));
          });
        });
        if (text == "caller " + std::to_string(t)) ++matching;
      }
    });
  for (auto& c : callers) c.join();
  EXPECT_EQ(matching.load(), 12 * 20);
}

TEST_F(Threads, RunInChildAfterFork) {
#ifdef TAPER_TSAN
  GTEST_SKIP() << "the thread sanitizer does not support threads that a forked child starts";
#else
  set_num_threads(3);
  const auto sum_of = [](std::int64_t n) {
    std::atomic<std::int64_t> sum{0};
    parallel_for(0, n, 1, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    return sum.load();
  };
  EXPECT_EQ(sum_of(300), 300);
  const pid_t child = fork();
  if (child == 0) {
    bool same = true;
    for (int r = 0; r < 50; ++r) same = same && sum_of(300) == 300;
    _exit(same ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(sum_of(300), 300);
#endif
}

TEST_F(Threads, UsesExternalPool) {
  set_num_threads(8);
  int runs = 0;
  ThreadPool pool;
  pool.context = &runs;
  pool.size = [](void*) { return 3; };
  pool.run = [](void* context, int count, void (*task)(void*, int), void* argument) {
    ++*static_cast<int*>(context);
    for (int i = count - 1; i >= 0; --i) task(argument, i);
  };
  set_thread_pool(&pool);
  std::vector<int> seen(100);
  parallel_for(0, 100, 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t i = b; i < e; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(available_threads(), 3);
  set_thread_pool(nullptr);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen, std::vector<int>(100, 1));
  EXPECT_EQ(available_threads(), 8);
}

TEST_F(Threads, RejectsZeroThreads) {
  EXPECT_EQ(error_text<ValueError>([&] { set_num_threads(0); }),
            "set_num_threads: expected a positive number of threads, got 0");
}

}  // namespace
}  // namespace taper::cpu
