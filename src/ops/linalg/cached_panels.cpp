#include "ops/linalg/cached_panels.h"

#include <mutex>
#include <optional>

#include "ops/kernel/view_key.h"

namespace taper::kernel {
namespace {

struct Panels final : StorageCacheEntry {
  std::mutex mutex;
  std::optional<Storage> elements;  ///< packed form; empty until the second product with B
};
constexpr std::uint64_t kPanelKind = 0x67656d6d;

}  // namespace

template <class T> void CachedPanels<T>::find_or_pack(const cpu::Gemm<T>& g, Storage& storage) {
  if (storage.exposed() || !cpu::gemm_packs(g)) return;
  const Buffer& buffer = storage.buffer();
  KeyMaker key(kPanelKind);
  key.mix(reinterpret_cast<const std::byte*>(g.b) - buffer.data);
  key.mix(buffer.channels_last);
  for (std::int64_t n : {g.k, g.n, g.b_row, g.b_col, static_cast<std::int64_t>(sizeof(T))})
    key.mix(n);
  const std::uint64_t writes = storage.writes();
  cached_ = storage.cached(key.value());
  if (!cached_) {
    storage.set_cached(key.value(), writes, Ref<StorageCacheEntry>::adopt(new Panels));
    return;
  }
  auto& panels = static_cast<Panels&>(*cached_);
  const std::lock_guard guard(panels.mutex);
  if (!panels.elements) {
    const auto size = static_cast<std::size_t>(cpu::gemm_panels_size(g)) * sizeof(T);
    panels.elements.emplace(Device::cpu(), size);
    cpu::gemm_pack(g, reinterpret_cast<T*>(panels.elements->buffer().data));
    counters::weight_packings.fetch_add(1, std::memory_order_relaxed);
  }
  data_ = reinterpret_cast<const T*>(panels.elements->buffer().data);
}

template class CachedPanels<float>;
template class CachedPanels<double>;
template class CachedPanels<BFloat16>;

}  // namespace taper::kernel
