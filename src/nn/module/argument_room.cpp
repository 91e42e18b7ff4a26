// ArgumentRoom: buffers of completed hooked calls, reused by later calls.
#include "taper/nn/detail/call.h"

namespace taper::nn::detail {
namespace {

constexpr std::size_t kMax = 8;

std::vector<Values>& spare() {
  thread_local std::vector<Values> rooms = [] {
    std::vector<Values> none;
    none.reserve(kMax);
    return none;
  }();
  return rooms;
}

}  // namespace

ArgumentRoom::ArgumentRoom() {
  auto& rooms = spare();
  if (rooms.empty()) return;
  values = std::move(rooms.back());
  rooms.pop_back();
}

ArgumentRoom::~ArgumentRoom() {
  values.clear();
  auto& rooms = spare();
  if (rooms.size() < kMax && values.capacity() <= 64) rooms.push_back(std::move(values));
}

}  // namespace taper::nn::detail
