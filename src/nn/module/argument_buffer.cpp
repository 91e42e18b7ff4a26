// ArgumentBuffer: buffers of completed hooked calls, reused by later calls.
#include "taper/nn/detail/call.h"

namespace taper::nn::detail {
namespace {

constexpr std::size_t kMaxPooledBuffers = 8;

std::vector<Values>& buffer_pool() {
  thread_local std::vector<Values> buffers = [] {
    std::vector<Values> none;
    none.reserve(kMaxPooledBuffers);
    return none;
  }();
  return buffers;
}

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
