#include "cpu/threads.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "cpu/available_cpus.h"
#include "cpu/capability.h"
#include "cpu/thread_pool.h"
#include "taper/core/error.h"

namespace taper {
namespace cpu {
namespace {

struct ThreadState {
  int chunk = 0;
  int max_threads = 0;    // set by NumThreadsGuard; 0 if it is not set
  bool in_chunk = false;  // true while the thread runs a chunk
};
constinit thread_local ThreadState state;

// All kernels use this file, so that the limit is applied whenever there are kernels.
[[maybe_unused]] const bool is_limit_applied = apply_capability_limit();

std::atomic<int> configured_threads{0};
std::atomic<const ThreadPool*> external_pool{nullptr};
ThreadPool external_pool_copy;

// One parallel region: its chunks, and the exception of the lowest chunk that threw.
struct Region {
  int count;
  std::int64_t begin, size;
  ChunkFn fn;
  void* context;
  std::atomic<int> failed;  // lowest chunk that threw; `count` if none did
  std::exception_ptr error;
  std::atomic_flag lock = ATOMIC_FLAG_INIT;

  std::int64_t chunk_begin(int chunk) const {
    const std::int64_t each = size / count, rest = size % count;
    return begin + each * chunk + (chunk < rest ? chunk : rest);
  }

  void run(int chunk) noexcept {
    const ThreadState before = state;
    state.in_chunk = true;
    state.chunk = chunk;
    try {
      fn(context, chunk, chunk_begin(chunk), chunk_begin(chunk + 1));
    } catch (...) {
      while (lock.test_and_set(std::memory_order_acquire)) {}
      if (chunk < failed.load(std::memory_order_relaxed)) {
        failed.store(chunk, std::memory_order_relaxed);
        error = std::current_exception();
      }
      lock.clear(std::memory_order_release);
    }
    state.in_chunk = before.in_chunk;
    state.chunk = before.chunk;
  }
};

void run_one(void* region, int chunk) { static_cast<Region*>(region)->run(chunk); }

int default_threads() noexcept {
  try {
    if (const char* const text = std::getenv("OMP_NUM_THREADS"))
      if (const auto count = parse_omp_num_threads(text)) return *count;
    return available_cpus();
  } catch (const std::exception&) { return 1; }  // out of memory
}

}  // namespace

void set_thread_pool(const ThreadPool* pool) noexcept {
  if (pool != nullptr) external_pool_copy = *pool;
  external_pool.store(pool != nullptr ? &external_pool_copy : nullptr, std::memory_order_release);
}

int available_threads() noexcept {
  if (state.in_chunk) return 1;
  int n = get_num_threads();
  if (state.max_threads != 0 && state.max_threads < n) n = state.max_threads;
  if (const ThreadPool* pool = external_pool.load(std::memory_order_acquire)) {
    const int max = pool->size(pool->context);
    if (max < n) n = max < 1 ? 1 : max;
  }
  return n;
}

int chunk_index() noexcept { return state.chunk; }

NumThreadsGuard::NumThreadsGuard(int count) noexcept : before_(state.max_threads) {
  state.max_threads = count < 1 ? 1 : count;
}
NumThreadsGuard::~NumThreadsGuard() { state.max_threads = before_; }

void run_chunks(int count, std::int64_t begin, std::int64_t end, ChunkFn fn, void* context) {
  Region region{count, begin, end - begin, fn, context, count, nullptr};
  if (count == 1 || state.in_chunk) {
    for (int i = 0; i < count; ++i) region.run(i);
  } else if (const ThreadPool* pool = external_pool.load(std::memory_order_acquire)) {
    pool->run(pool->context, count, run_one, &region);
  } else {
    run_on_workers(count, available_threads(), run_one, &region);
  }
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace cpu

int get_num_threads() noexcept {
  const int set = cpu::configured_threads.load(std::memory_order_relaxed);
  if (set != 0) return set;
  static const int initial = cpu::default_threads();
  return initial;
}

void set_num_threads(int count) {
  if (count < 1)
    throw ValueError("set_num_threads: expected a positive number of threads, got " +
                     std::to_string(count));
  cpu::configured_threads.store(count, std::memory_order_relaxed);
}

}  // namespace taper
