// Output sizes of adaptive pooling in Python's form.
#pragma once
#include <string>

#include "taper/core/value.h"
#include "taper/ops/pool.h"

namespace taper::nn {

/// Convert from and to the Python form, in which None represents the size of the input.
AdaptiveSize adaptive_size(const Value& value);
Value adaptive_value(const AdaptiveSize& size);
/// Returns "output_size=(2, None)".
std::string adaptive_text(const AdaptiveSize& size);

}  // namespace taper::nn
