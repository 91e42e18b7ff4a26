// What an op reads, writes and computes: what profilers and benchmarks relate its time to.
#pragma once
#include <span>

#include "ops/op.h"

namespace taper {

struct Cost {
  double bytes = 0;  ///< each element of each input and output once; a view moves nothing
  double flops = 0;  ///< what the op says, else one for each element it gives
};
/// Of a call that has been made: `outs` are its results.
Cost cost_of(const OpTable& table, const void* attributes, std::span<const In> ins,
             std::span<const Tensor> outs);

}  // namespace taper
