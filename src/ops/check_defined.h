// Check of tensor arguments of functions that call several ops.
#pragma once
#include <string_view>

#include "core/check.h"
#include "taper/core/tensor.h"

namespace taper {

/// Throws ValueError, as an op does, if the required argument of `function` is undefined.
inline void check_defined(std::string_view function, std::string_view argument,
                          const Tensor& tensor) {
  if (!tensor.defined())
    fail<ValueError>("{}: argument '{}' is an undefined tensor", function, argument);
}

}  // namespace taper
