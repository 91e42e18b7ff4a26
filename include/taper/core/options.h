// What factories may be told.
#pragma once
#include <optional>

#include "taper/core/device.h"
#include "taper/core/dtype.h"

namespace taper {

/// zeros({2, 3}, {.dtype = taper::float64, .requires_grad = true}).
struct TensorOptions {
  std::optional<DType> dtype{};    ///< default: default_dtype(), or the dtype of the given values
  std::optional<Device> device{};  ///< default: cpu, or the device of the given tensor
  bool requires_grad = false;
};

}  // namespace taper
