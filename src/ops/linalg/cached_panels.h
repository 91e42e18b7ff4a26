// CachedPanels: cache of the packed form of a large right factor.
#pragma once
#include "core/storage.h"
#include "cpu/gemm/gemm.h"

namespace taper::kernel {

/// Packed form of the right factor B of a product, cached with the storage of B. Packing a weight
/// takes a few percent of the time of a product. The second product with the same unmodified weight
/// caches the packed form and later products reuse it. The first product only records its use,
/// because training changes weights in every step.
template <class T> class CachedPanels {
 public:
  /// `storage` contains B, or is null.
  CachedPanels(const cpu::Gemm<T>& g, Storage* storage) {
    if (storage && g.k * g.n >= kMinSize && g.m <= kMaxRows) find_or_pack(g, *storage);
  }
  /// Returns the value for Gemm::panels: null if no packed form is cached.
  const T* data() const { return data_; }

 private:
  // Packing a small factor is faster than a cache lookup; with many rows the cost of packing is
  // negligible.
  static constexpr std::int64_t kMinSize = 1 << 15, kMaxRows = 512;
  void find_or_pack(const cpu::Gemm<T>& g, Storage& storage);

  Ref<StorageCacheEntry> cached_{};
  const T* data_ = nullptr;
};

extern template class CachedPanels<float>;
extern template class CachedPanels<double>;
extern template class CachedPanels<BFloat16>;

}  // namespace taper::kernel
