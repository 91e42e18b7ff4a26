// ArgumentBuffer: buffers of completed hooked calls, reused by later calls.
#include "taper/nn/detail/call.h"

namespace taper::nn::detail {
namespace {

constexpr std::size_t kMax = 8;

std::vector<Values>& spare() {
  thread_local std::vector<Values> buffers = [] {
    std::vector<Values> none;
    none.reserve(kMax);
    return none;
  }();
  return buffers;
}

}  // namespace

ArgumentBuffer::ArgumentBuffer() {
  auto& buffers = spare();
  if (buffers.empty()) return;
  values = std::move(buffers.back());
  buffers.pop_back();
}

ArgumentBuffer::~ArgumentBuffer() {
  values.clear();
  auto& buffers = spare();
  if (buffers.size() < kMax && values.capacity() <= 64) buffers.push_back(std::move(values));
}

}  // namespace taper::nn::detail
