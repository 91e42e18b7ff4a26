// Cost of an op: memory traffic and arithmetic, used by profilers and benchmarks.
#pragma once
#include <span>

#include "ops/op.h"

namespace taper {

/// Memory traffic and arithmetic of one call.
struct Cost {
  double bytes = 0;  ///< total size of the elements of all inputs and outputs; 0 for views
  double flops = 0;  ///< as reported by the op; otherwise one per output element
};
/// Returns the cost of a completed call with outputs `outs`.
Cost cost_of(const OpDescriptor& descriptor, const void* attributes, std::span<const OpInput> ins,
             std::span<const Tensor> outs);

}  // namespace taper
