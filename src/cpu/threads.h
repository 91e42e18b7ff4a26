// Thread management: static partitioning of index ranges among threads.
//
// A range is divided into contiguous chunks: at most one per available thread, and fewer if the
// range is small (see chunk_count). The sizes of chunks differ by at most one element. The limits
// of a chunk do not depend on timing, but the thread that runs it may. A chunk must not wait for
// another one, because both may run on one thread. Chunks of a nested call run sequentially on the
// calling thread. An exception of a chunk propagates to the caller; if several chunks throw, that
// of the lowest chunk propagates.
#pragma once
#include <cstdint>
#include <type_traits>

#include "taper/core/parallel.h"

namespace taper::cpu {

/// Thread pool provided by the host program. `run` calls `task(argument, i)` once for every i in
/// [0, count), in any order, on any threads, and returns when all calls have completed.
struct ThreadPool {
  void* context = nullptr;
  int (*size)(void* context) = nullptr;
  void (*run)(void* context, int count, void (*task)(void* argument, int index),
              void* argument) = nullptr;
};

/// Runs all regions on a copy of `*pool`. Null restores Taper's own threads. Must not be called
/// while kernels run.
void set_thread_pool(const ThreadPool* pool) noexcept;

/// Returns the number of threads that a region opened by the calling thread would use: 1 within a
/// region.
int available_threads() noexcept;

/// Returns the index of the chunk of the running region that the calling thread executes; 0 outside
/// of regions.
int chunk_index() noexcept;

/// Limits the calling thread's regions to `count` threads (at least 1) within a scope.
class NumThreadsGuard {
 public:
  explicit NumThreadsGuard(int count) noexcept;
  ~NumThreadsGuard();
  NumThreadsGuard(const NumThreadsGuard&) = delete;
  NumThreadsGuard& operator=(const NumThreadsGuard&) = delete;

 private:
  int before_;
};

using ChunkFn = void (*)(void* context, int chunk, std::int64_t begin, std::int64_t end);

/// Returns the number of chunks of a range of `size` elements: size / grain, rounded up, and at
/// most available_threads(). 0 for an empty range.
inline int chunk_count(std::int64_t size, std::int64_t grain) noexcept {
  if (size <= grain || size <= 1) return size > 0 ? 1 : 0;
  const std::int64_t threads = available_threads();
  if (threads <= 1) return 1;
  const std::int64_t max = (size + (grain > 1 ? grain : 1) - 1) / (grain > 1 ? grain : 1);
  return static_cast<int>(max < threads ? max : threads);
}

/// Runs `count` chunks of [begin, end). Type-erased implementation of the templates below.
void run_chunks(int count, std::int64_t begin, std::int64_t end, ChunkFn fn, void* context);

/// Calls `f(chunk, begin, end)` for `count` chunks of [begin, end), where `count` is the result of
/// `chunk_count`. For kernels with state per chunk. A count of 1 is a direct call.
template <class F> void parallel_chunks(int count, std::int64_t begin, std::int64_t end, F&& f) {
  if (count <= 0) return;
  if (count == 1) {
    f(0, begin, end);
    return;
  }
  using Fn = std::remove_reference_t<F>;
  run_chunks(
      count, begin, end,
      [](void* context, int chunk, std::int64_t b, std::int64_t e) {
        (*static_cast<Fn*>(context))(chunk, b, e);
      },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// Calls `f(begin, end)` on the chunks of [begin, end) in parallel; see `chunk_count` for their
/// number. Does not call `f` for an empty range; a range of at most `grain` elements is a direct
/// call.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
  const int count = chunk_count(end - begin, grain);
  if (count == 0) return;
  if (count == 1) {
    f(begin, end);
    return;
  }
  parallel_chunks(count, begin, end, [&f](int, std::int64_t b, std::int64_t e) { f(b, e); });
}

}  // namespace taper::cpu
