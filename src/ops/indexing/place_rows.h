// Index tensors for samples of ops.
#pragma once
#include "ops/rows.h"

namespace taper {

/// Returns random indices in [low, high).
inline Draw places(Shape shape, int low, int high, DType dtype = DType::i64) {
  return Draw(std::move(shape), low, high, dtype);
}

}  // namespace taper
