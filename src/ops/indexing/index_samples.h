// Index tensors for samples of ops.
#pragma once
#include "ops/samples.h"

namespace taper {

/// Returns random indices in [low, high).
inline TensorSpec indices(Shape shape, int low, int high, DType dtype = DType::i64) {
  return TensorSpec(std::move(shape), low, high, dtype);
}

}  // namespace taper
