// PrepackedWeightCache: convolution weights in the formats of the kernels, cached by the owner of
// the row-major weights.
#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/storage.h"

namespace taper::cpu {

/// Weights in one format.
struct PrepackedWeights {
  PrepackedWeights() = default;
  PrepackedWeights(const PrepackedWeights&) = delete;
  PrepackedWeights& operator=(const PrepackedWeights&) = delete;
  virtual ~PrepackedWeights() = default;
};

/// All packed formats of one set of weights. Kernels add formats from any thread. The owner must
/// destroy the object, or call `clear` while no kernel runs, when the weights are modified.
class PrepackedWeightCache {
 public:
  void clear() {
    const std::lock_guard guard(mutex_);
    entries_.clear();
  }

  /// Returns the cached format of type F for which `fits` returns true. Otherwise caches and
  /// returns the result of `make`.
  template <class F, class Fits, class Make> const F& find_or_create(Fits&& fits, Make&& make) {
    const std::lock_guard guard(mutex_);
    for (const auto& f : entries_)
      if (const F* typed = dynamic_cast<const F*>(f.get()); typed != nullptr && fits(*typed))
        return *typed;
    std::unique_ptr<F> created = make();
    counters::weight_packings.fetch_add(1, std::memory_order_relaxed);
    const F& result = *created;
    entries_.push_back(std::move(created));
    return result;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PrepackedWeights>> entries_;
};

}  // namespace taper::cpu
