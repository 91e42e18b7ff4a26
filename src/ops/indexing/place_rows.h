// Indices for the test rows of ops that take them.
#pragma once
#include "ops/rows.h"

namespace taper {

/// Places from `low` up to, but not, `high`.
inline Draw places(Shape shape, int low, int high, DType dtype = DType::i64) {
  return Draw(std::move(shape), low, high, dtype);
}

}  // namespace taper
