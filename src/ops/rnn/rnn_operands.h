// Operands of the CPU kernels of recurrent layers.
#pragma once
#include <memory>

#include "ops/kernel/dense.h"

namespace taper::rnn {

inline std::size_t bytes(std::int64_t floats) {
  return static_cast<std::size_t>(floats) * sizeof(float);
}

/// Returns the elements of an output; null if it is absent.
inline float* floats(const View& v) { return v.shape ? reinterpret_cast<float*>(v.data) : nullptr; }

/// Dense elements of an optional input.
class OptionalInput {
 public:
  OptionalInput(const KernelArgs& k, int i) {
    if (k.has(i))
      elements_ = std::make_unique<kernel::DenseInput<float>>(k.in[static_cast<std::size_t>(i)]);
  }
  /// Returns null if the input is absent.
  const float* data() const { return elements_ ? elements_->data() : nullptr; }

 private:
  std::unique_ptr<kernel::DenseInput<float>> elements_{};
};

}  // namespace taper::rnn
