#include "cpu/stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/stream.hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void stream_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  // A streaming store requires an aligned address.
  const std::size_t head = std::min(bytes, (0 - reinterpret_cast<std::uintptr_t>(to)) % lanes);
  std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, bytes - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(stream_bytes);

void stream_copy(void* to, const void* from, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_bytes)
  (static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), bytes);
}

void finish_stream_copies() { hwy::FlushStream(); }

}  // namespace taper::cpu
#endif
