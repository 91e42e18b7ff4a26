// What factories may be told.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"

/// Options of everything that creates tensors. A macro, since designated initializers name members
/// of the struct itself only: `nn::Linear(2, 3, {.bias = false, .dtype = taper::float64})`.
#define TAPER_FACTORY_OPTIONS                                                                      \
  std::optional<::taper::DType> dtype{};   /* default: default_dtype(), or that of given values */ \
  std::optional<::taper::Device> device{}; /* default: cpu, or that of the given tensor */

namespace TAPER_API taper {

/// zeros({2, 3}, {.dtype = taper::float64, .requires_grad = true}).
struct TensorOptions {
  TAPER_FACTORY_OPTIONS
  bool requires_grad = false;
};

/// The dtype and device of other options.
template <class Options> TensorOptions tensor_options(const Options& options) {
  return {.dtype = options.dtype, .device = options.device};
}

}  // namespace taper
