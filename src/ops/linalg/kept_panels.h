// The packed form of a large right factor, kept beside its storage.
#pragma once
#include "backend/gemm/gemm.h"
#include "core/storage.h"

namespace taper::kernel {

/// Packing a weight costs a few per cent of a product with it. The second product by the same
/// unchanged weight keeps what it packs, and later ones find it; the first only leaves a mark,
/// since in training weights change with every step.
template <class T> class KeptPanels {
 public:
  /// `storage` holds B, or is null.
  KeptPanels(const backend::Gemm<T>& g, Storage* storage) {
    if (storage && g.k * g.n >= kWorth && g.m <= kMostRows) find(g, *storage);
  }
  /// For Gemm::panels: null if nothing is kept.
  const T* data() const { return data_; }

 private:
  // Small factors pack faster than a mark is looked up; many rows hide what packing costs.
  static constexpr std::int64_t kWorth = 1 << 15, kMostRows = 512;
  void find(const backend::Gemm<T>& g, Storage& storage);

  Ref<Packed> kept_{};
  const T* data_ = nullptr;
};

extern template class KeptPanels<float>;
extern template class KeptPanels<double>;

}  // namespace taper::kernel
