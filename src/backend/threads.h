// The one place that owns threads: static splitting of index ranges over a team.
//
// A range is cut into as many equal, contiguous chunks as there are threads to run them, so what a
// chunk computes never depends on timing. Chunks of a nested call run one after another on the
// calling thread. What a chunk throws reaches the caller (of several, that of the lowest chunk).
#pragma once
#include <cstdint>
#include <type_traits>

#include "taper/core/parallel.h"

namespace taper::backend {

/// A team of threads that a host program lends. `run` calls `task(argument, i)` once for every i in
/// [0, count), in any order, on any threads, and returns when all are done.
struct ThreadPool {
  void* context = nullptr;
  int (*size)(void* context) = nullptr;
  void (*run)(void* context, int count, void (*task)(void* argument, int index),
              void* argument) = nullptr;
};

/// Makes every region run on a copy of `*pool`; null gives Taper's own threads back. Not to be
/// called while kernels run.
void lend_thread_pool(const ThreadPool* pool) noexcept;

/// The number of threads a region opened here and now would have: 1 inside of a region.
int available_threads() noexcept;

/// Which chunk of the running region the calling thread works on; 0 outside of regions.
int chunk_index() noexcept;

/// Limits the calling thread's regions to `count` threads (at least 1) for a scope.
class ThreadScope {
 public:
  explicit ThreadScope(int count) noexcept;
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

/// The number of threads for libraries that use OpenMP themselves (oneDNN): as many as a region
/// opened here would have, but 1 where the threads are not OpenMP's.
int vendor_threads() noexcept;

/// Tells those libraries. Cheap when nothing changed.
void match_vendor_threads() noexcept;

using ChunkFn = void (*)(void* context, int chunk, std::int64_t begin, std::int64_t end);

/// How many chunks a range of `size` is cut into when no chunk shall be shorter than `grain`.
inline int chunk_count(std::int64_t size, std::int64_t grain) noexcept {
  if (size <= grain || size <= 1) return size > 0 ? 1 : 0;
  const std::int64_t threads = available_threads();
  if (threads <= 1) return 1;
  const std::int64_t most = (size + (grain > 1 ? grain : 1) - 1) / (grain > 1 ? grain : 1);
  return static_cast<int>(most < threads ? most : threads);
}

/// Runs `count` chunks of [begin, end); the type-erased back of the templates below.
void run_chunks(int count, std::int64_t begin, std::int64_t end, ChunkFn fn, void* context);

/// Calls `f(chunk, begin, end)` for `count` chunks of [begin, end), `count` as `chunk_count` gave
/// it: for kernels that keep something per chunk. A count of 1 is a plain call.
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

/// Calls `f(begin, end)` on parts of [begin, end), in parallel, none shorter than `grain` (but the
/// last). An empty range calls nothing; a range no longer than `grain` is a plain call.
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

}  // namespace taper::backend
