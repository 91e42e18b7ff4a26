#pragma once
#include "core/check.h"
#include "taper/nn/module.h"

namespace taper::nn::utils {

/// Returns the parameter, buffer or computed member `name`. Throws ValueError if it does not exist.
inline Tensor tensor_of(Module& m, std::string_view name) {
  if (m.has_attr(name))
    if (const Value v = m.get_attr(name); v.is_tensor()) return v.as_tensor();
  fail<ValueError>("Module '{}' has no parameter or buffer with name '{}'", m.str(), name);
}

}  // namespace taper::nn::utils
