// Weights in the forms convolution kernels want, kept by whoever owns the plain ones.
#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/storage.h"

namespace taper::backend {

/// One form of the weights.
struct PackedForm {
  PackedForm() = default;
  PackedForm(const PackedForm&) = delete;
  PackedForm& operator=(const PackedForm&) = delete;
  virtual ~PackedForm() = default;
};

/// All forms made of one set of weights. It is filled by the kernels it is passed to, from any
/// thread; the owner drops it (or calls `clear`, when no kernel runs) once the weights are written.
class PackedWeights {
 public:
  void clear() {
    const std::lock_guard guard(mutex_);
    forms_.clear();
  }

  /// The form of type F for which `fits` holds, else the one `make` returns, from now on kept.
  template <class F, class Fits, class Make> const F& form(Fits&& fits, Make&& make) {
    const std::lock_guard guard(mutex_);
    for (const auto& f : forms_)
      if (const F* typed = dynamic_cast<const F*>(f.get()); typed != nullptr && fits(*typed))
        return *typed;
    std::unique_ptr<F> made = make();
    counters::weight_packings.fetch_add(1, std::memory_order_relaxed);
    const F& result = *made;
    forms_.push_back(std::move(made));
    return result;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PackedForm>> forms_;
};

}  // namespace taper::backend
