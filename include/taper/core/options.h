// TensorOptions: dtype, device and requires_grad of new tensors.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"

/// Members dtype and device of options structs. A macro because designated initializers can name
/// direct members only: `nn::Linear(2, 3, {.bias = false, .dtype = taper::float64})`.
#define TAPER_FACTORY_OPTIONS                                                                      \
  std::optional<::taper::DType> dtype{};   /* default: default_dtype(), or that of given values */ \
  std::optional<::taper::Device> device{}; /* default: cpu, or that of the given tensor */

namespace TAPER_API taper {

/// Options of factory functions: zeros({2, 3}, {.dtype = taper::float64, .requires_grad = true}).
struct TensorOptions {
  TAPER_FACTORY_OPTIONS
  bool requires_grad = false;
};

/// Returns the dtype and device of other options as TensorOptions.
template <class Options> TensorOptions tensor_options(const Options& options) {
  return {.dtype = options.dtype, .device = options.device};
}

}  // namespace taper
