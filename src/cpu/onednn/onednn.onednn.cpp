#include "cpu/onednn/onednn.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "core/per_thread.h"
#include "taper/core/cpu_capability.h"

// Entry points of libgomp, which runs the regions of oneDNN regardless of the compiler.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace taper::cpu::onednn {

namespace {

std::atomic<bool> has_ended{false};
constinit thread_local bool thread_has_ended = false;

struct ThreadEnd {
  ~ThreadEnd() { thread_has_ended = true; }
};

dnnl::engine* make_engine() {
  // The instruction set must be that of the vector kernels.
  const std::string_view capability = get_cpu_capability();
  if (capability != "AVX512")
    dnnl::set_max_cpu_isa(capability == "AVX2" ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41);
  return new dnnl::engine(dnnl::engine::kind::cpu, 0);
}

}  // namespace

dnnl::engine& engine() {
  static dnnl::engine& e = *make_engine();
  return e;
}

dnnl::stream& stream() {
  struct ThreadStream {
    dnnl::stream stream{engine()};
  };
  return PerThread<ThreadStream>::get().stream;
}

bool is_usable() {
  // The objects of the thread that ends the process are destroyed before any static object.
  thread_local ThreadEnd end;
  static_cast<void>(end);
  return !thread_has_ended && !has_ended.load(std::memory_order_relaxed);
}

void note_creation(std::size_t kind) {
  // Handlers run in reverse order: one that is registered now runs before the tables that exist are
  // destroyed.
  static std::array<std::once_flag, kMaxKinds> registered;
  std::call_once(registered.at(kind), [] { std::atexit([] { has_ended = true; }); });
}

OneOpenMpThread::OneOpenMpThread() noexcept : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
OneOpenMpThread::~OneOpenMpThread() { omp_set_num_threads(before_); }

}  // namespace taper::cpu::onednn
