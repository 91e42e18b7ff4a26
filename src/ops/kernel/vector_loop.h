// The one strided driver of element-by-element CPU kernels. An op brings loops over contiguous runs
// of the type it computes in (vector_loop-inl.h makes them); the driver solves layouts, broadcasts,
// other dtypes and threads for all of them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "ops/op.h"

namespace taper::kernel {

inline constexpr std::size_t kMostOperands = 4;

/// out[i] = f(in0[i], in1[i], ...) for i in [0, n). An operand that is absent is null.
using Loop = void (*)(const void* attributes, const void* const* in, void* out, std::size_t n);

struct Loops {
  Loop f32 = nullptr;  ///< also for 16-bit floats
  Loop f64 = nullptr;
  Loop i64 = nullptr;       ///< for all integers and bool
  bool gives_bool = false;  ///< the loops write bytes of 0 or 1, whatever they read
  /// Operands of a 16-bit computation are rounded to it first: what comparisons need.
  bool exact = false;
  std::int64_t grain = 1 << 15;  ///< elements that pay for a thread
};

/// Runs the loop of the compute type over all elements. False if there is none.
bool run_loops(const Loops& loops, const void* attributes, const KernelArgs& k);

}  // namespace taper::kernel
