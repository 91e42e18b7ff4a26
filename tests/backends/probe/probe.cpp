// A backend for tests of the backend ABI: two devices whose memory the host cannot access (its
// pages have access rights only while this library works on them), a few kernels, and the CPU
// fallback for all other ops.
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "taper/backend/c_api.h"

namespace {

const taper_host* host = nullptr;
std::recursive_mutex mutex;
struct Block {
  std::size_t bytes;
  int device;
};
std::map<char*, Block> blocks;
std::size_t held[2], max[2];
constexpr std::size_t kRoom = std::size_t{64} << 20;  // capacity of one device
constexpr std::size_t kPage = 4096;
std::atomic<int> kernel_calls{0};

std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// RAII guard that makes every block accessible and locks the mutex.
struct Open {
  std::lock_guard<std::recursive_mutex> lock{mutex};
  Open() { set(PROT_READ | PROT_WRITE); }
  ~Open() { set(PROT_NONE); }
  static void set(int rights) {
    for (auto& [p, b] : blocks) mprotect(p, pages(b.bytes), rights);
  }
};

bool belongs(const void* p, int device) {
  auto it = blocks.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == blocks.begin()) return false;
  --it;
  return static_cast<const char*>(p) < it->first + pages(it->second.bytes) &&
         it->second.device == device;
}

taper_status reject(taper_status status, const char* text) {
  host->set_error_message(text);
  return status;
}

int device_count() { return 2; }

taper_status allocate(int device, size_t bytes, taper_stream*, void** block) {
  std::lock_guard lock(mutex);
  if (held[device] + bytes > kRoom)
    return reject(TAPER_OUT_OF_MEMORY, "the probe has 64 MiB per device");
  void* p = mmap(nullptr, pages(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return reject(TAPER_OUT_OF_MEMORY, "mmap failed");
  blocks[static_cast<char*>(p)] = {bytes, device};
  held[device] += bytes;
  max[device] = std::max(max[device], held[device]);
  *block = p;
  return TAPER_OK;
}

taper_status release(int device, void* block, size_t bytes, taper_stream*) {
  std::lock_guard lock(mutex);
  blocks.erase(static_cast<char*>(block));
  munmap(block, pages(bytes));
  held[device] -= bytes;
  return TAPER_OK;
}

taper_status copy_from_host(int device, void* to, const void* from, size_t bytes) {
  Open open;
  if (!belongs(to, device)) return reject(TAPER_FAILED, "destination is not memory of this device");
  std::memcpy(to, from, bytes);
  return TAPER_OK;
}
taper_status copy_to_host(int device, void* to, const void* from, size_t bytes) {
  Open open;
  if (!belongs(from, device)) return reject(TAPER_FAILED, "source is not memory of this device");
  std::memcpy(to, from, bytes);
  return TAPER_OK;
}
taper_status copy_within(int to_device, void* to, int from_device, const void* from, size_t bytes) {
  Open open;
  if (!belongs(to, to_device) || !belongs(from, from_device))
    return reject(TAPER_FAILED, "operands are not memory of these devices");
  std::memcpy(to, from, bytes);
  return TAPER_OK;
}
taper_status synchronize(int) { return TAPER_OK; }
void memory(int device, size_t* allocated, size_t* peak) {
  std::lock_guard lock(mutex);
  *allocated = held[device], *peak = max[device];
}

/// Computes f(a, b) elementwise for f32 operands with any strides. Returns TAPER_NOT_SUPPORTED for
/// other dtypes and for operands in host memory.
template <class F> taper_status binary(int device, const taper_call* c, F f) {
  const taper_view &a = c->in[0], &b = c->in[1], &y = c->out[0];
  if (a.dtype != TAPER_F32 || b.dtype != TAPER_F32 || y.dtype != TAPER_F32 || a.on_host ||
      b.on_host)
    return TAPER_NOT_SUPPORTED;
  Open open;
  if (y.numel && (!belongs(a.data, device) || !belongs(b.data, device) || !belongs(y.data, device)))
    return reject(TAPER_FAILED, "an operand is not memory of this device");
  kernel_calls.fetch_add(1);
  for (std::int64_t i = 0; i < y.numel; ++i) {
    std::int64_t rest = i, pa = 0, pb = 0, py = 0;
    for (int d = y.rank - 1; d >= 0; --d) {
      const std::int64_t at = rest % y.shape[d];
      rest /= y.shape[d];
      pa += at * a.strides[d], pb += at * b.strides[d], py += at * y.strides[d];
    }
    static_cast<float*>(y.data)[py] =
        f(static_cast<const float*>(a.data)[pa], static_cast<const float*>(b.data)[pb]);
  }
  return TAPER_OK;
}

taper_status run_add(int device, taper_stream*, const taper_call* c) {
  const taper_attribute& alpha = c->attributes[0];
  const double k =
      alpha.kind == TAPER_FLOATING ? alpha.floating : static_cast<double>(alpha.integer);
  return binary(device, c, [k](float a, float b) { return a + static_cast<float>(k) * b; });
}
taper_status run_mul(int device, taper_stream*, const taper_call* c) {
  return binary(device, c, [](float a, float b) { return a * b; });
}

const taper_kernel kernels[] = {
    {"add(input, other; alpha: scalar) -> output", run_add},
    {"mul(input, other) -> output", run_mul},
    // A kernel for an outdated schema of the op, which must be rejected.
    {"sum(input; axis: int) -> output", run_mul},
};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) taper_status taper_backend(const taper_host* h,
                                                                  taper_backend_table* t) {
  host = h;
  t->version = TAPER_BACKEND_ABI_VERSION;
  t->device_type = "probe";
  t->device_count = device_count;
  t->allocate = allocate;
  t->release = release;
  t->copy_from_host = copy_from_host;
  t->copy_to_host = copy_to_host;
  t->copy_within = copy_within;
  t->synchronize = synchronize;
  t->memory = memory;
  t->kernels = kernels;
  t->kernel_count = sizeof kernels / sizeof *kernels;
  t->fallback = 1;
  return TAPER_OK;
}
/// Returns the number of kernels of this library that have run.
__attribute__((visibility("default"))) int probe_kernel_calls() { return kernel_calls.load(); }
}
