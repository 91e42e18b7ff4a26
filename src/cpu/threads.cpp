#include "cpu/threads.h"

#include <atomic>
#include <exception>
#include <string>

#include "taper/core/error.h"

#ifdef TAPER_STD_THREADS
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
#endif

// libgomp's entry points: Taper shares the OpenMP runtime that oneDNN was built for, regardless of
// the compiler.
extern "C" {
void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace taper {
namespace cpu {
namespace {

struct ThreadState {
  int chunk = 0;
  int max_threads = 0;     // set by NumThreadsGuard; 0 if it is not set
  int openmp_threads = 0;  // number of threads last passed to OpenMP by this thread
  bool in_chunk = false;   // true while the thread runs a chunk
};
constinit thread_local ThreadState state;

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

#ifdef TAPER_STD_THREADS

int default_threads() noexcept {
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : static_cast<int>(n);
}

// Worker threads that sleep between regions. They run one region at a time; a concurrent region
// runs on its caller alone.
class Workers {
 public:
  ~Workers() {
    {
      const std::lock_guard guard(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  bool run(Region& region) {
    const std::unique_lock region_lock(region_mutex_, std::try_to_lock);
    if (!region_lock.owns_lock()) return false;
    {
      std::unique_lock guard(mutex_);
      while (static_cast<int>(threads_.size()) + 1 < region.count)
        threads_.emplace_back([this, i = static_cast<int>(threads_.size()) + 1] { work(i); });
      region_ = &region;
      remaining_ = region.count - 1;
      ++generation_;
    }
    wake_.notify_all();
    region.run(0);
    std::unique_lock guard(mutex_);
    done_.wait(guard, [this] { return remaining_ == 0; });
    region_ = nullptr;
    return true;
  }

 private:
  void work(int index) {
    std::uint64_t seen_generation = 0;
    std::unique_lock guard(mutex_);
    for (;;) {
      wake_.wait(guard, [&] { return stop_ || generation_ != seen_generation; });
      if (stop_) return;
      seen_generation = generation_;
      Region* const region = region_;
      if (region == nullptr || index >= region->count) continue;
      guard.unlock();
      region->run(index);
      guard.lock();
      if (--remaining_ == 0) done_.notify_one();
    }
  }

  std::mutex region_mutex_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Region* region_ = nullptr;
  int remaining_ = 0;
  std::uint64_t generation_ = 0;
  bool stop_ = false;
};

void run_native(Region& region) {
  static Workers workers;
  if (!workers.run(region))
    for (int i = 0; i < region.count; ++i) region.run(i);
}

#else

int default_threads() noexcept { return omp_get_max_threads(); }

void run_native(Region& region) {
  GOMP_parallel(
      [](void* data) {
        Region& r = *static_cast<Region*>(data);
        // The team may be smaller than requested.
        const int step = omp_get_num_threads();
        for (int i = omp_get_thread_num(); i < r.count; i += step) r.run(i);
      },
      &region, static_cast<unsigned>(region.count), 0);
}

#endif

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

int onednn_threads() noexcept {
#ifdef TAPER_STD_THREADS
  return 1;
#else
  // If a pool is set, the host program does not allow other threads.
  return external_pool.load(std::memory_order_acquire) != nullptr ? 1 : available_threads();
#endif
}

void match_onednn_threads() noexcept {
  const int want = onednn_threads();
  if (state.openmp_threads == want) return;
  omp_set_num_threads(want);
  state.openmp_threads = want;
}

void run_chunks(int count, std::int64_t begin, std::int64_t end, ChunkFn fn, void* context) {
  Region region{count, begin, end - begin, fn, context, count, nullptr};
  if (count == 1 || state.in_chunk) {
    for (int i = 0; i < count; ++i) region.run(i);
  } else if (const ThreadPool* pool = external_pool.load(std::memory_order_acquire)) {
    pool->run(pool->context, count, run_one, &region);
  } else {
    run_native(region);
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
