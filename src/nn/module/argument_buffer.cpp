// ArgumentBuffer: buffers of completed hooked calls, reused by later calls.
#include "core/per_thread.h"
#include "taper/nn/detail/call.h"

namespace taper::nn::detail {
namespace {

constexpr std::size_t kMaxPooledBuffers = 8;

struct BufferPool {
  std::vector<Values> buffers;
  BufferPool() { buffers.reserve(kMaxPooledBuffers); }
};
std::vector<Values>& buffer_pool() { return PerThread<BufferPool>::get().buffers; }

}  // namespace

ArgumentBuffer::ArgumentBuffer() {
  auto& buffers = buffer_pool();
  if (buffers.empty()) return;
  values = std::move(buffers.back());
  buffers.pop_back();
}

ArgumentBuffer::~ArgumentBuffer() {
  values.clear();
  auto& buffers = buffer_pool();
  if (buffers.size() < kMaxPooledBuffers && values.capacity() <= 64)
    buffers.push_back(std::move(values));
}

}  // namespace taper::nn::detail
