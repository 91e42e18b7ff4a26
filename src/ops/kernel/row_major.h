// Memory that kernels can traverse with a pointer.
#pragma once
#include "core/tensor_impl.h"

namespace taper::kernel {

/// Returns true if the elements are stored in row-major order without gaps.
inline bool has_row_major_strides(const View& v) {
  std::int64_t step = 1;
  for (std::size_t d = v.shape->size(); d-- > 0; step *= (*v.shape)[d])
    if ((*v.shape)[d] != 1 && (*v.strides)[d] != step) return false;
  return true;
}

}  // namespace taper::kernel
