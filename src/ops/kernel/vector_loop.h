// Strided driver of elementwise CPU kernels. An op provides loops over contiguous runs of the
// compute type (vector_loop-inl.h creates them); the driver handles layouts, broadcasting, dtype
// conversion and threads.
#pragma once
#include <cstddef>
#include <cstdint>

#include "ops/op.h"

namespace taper::kernel {

inline constexpr std::size_t kMaxOperands = 4;

/// Computes out[i] = f(in0[i], in1[i], ...) for i in [0, n). The pointer of an absent operand is
/// null.
using Loop = void (*)(const void* attributes, const void* const* in, void* out, std::size_t n);

/// Loops of one op by compute type. A loop that is null is not supported.
struct LoopTable {
  Loop f32 = nullptr;  ///< also used for 16-bit floats
  Loop f64 = nullptr;
  Loop bf16 = nullptr;  ///< computes in float; optional
  /// The second of two operands is a pointer to one float; optional.
  Loop f32_number = nullptr, bf16_number = nullptr;
  bool commutes = false;      ///< f(a, b) and f(b, a) are the same bits
  Loop i64 = nullptr;         ///< used for all integers and bool
  Loop b8 = nullptr;          ///< for bool, bytes that may have values other than 0 and 1; optional
  bool returns_bool = false;  ///< the loops write bytes of 0 or 1, regardless of the operands' type
  /// Rounds the operands of a 16-bit computation to its dtype first, as comparisons require.
  bool exact = false;
  std::int64_t grain = 1 << 15;  ///< minimum number of elements per thread
};

/// Runs the loop of the compute type over all elements. Returns false, without writing the output,
/// if that loop is absent or there are too many operands or dimensions.
bool run_elementwise(const LoopTable& loops, const void* attributes, const KernelArgs& k);

/// Calls O::check_elements if it exists, which rejects values of the inputs.
template <class O> void check_elements(const KernelArgs& k) {
  if constexpr (requires { O::check_elements(k); }) O::check_elements(k);
}

}  // namespace taper::kernel
