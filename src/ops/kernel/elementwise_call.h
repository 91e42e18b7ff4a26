// Operands of an elementwise computation, with sorted and merged dimensions.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/kernel/vector_loop.h"

namespace taper::kernel {

inline constexpr std::size_t kMaxDims = 24;
inline constexpr std::size_t kMaxIns = kMaxOperands - 1;

/// Operand with strides of the sorted and merged dimensions.
struct Operand {
  std::byte* data = nullptr;  // null: absent
  DType dtype{};
  std::int64_t size = 0;
  std::array<std::int64_t, kMaxDims> strides;
  bool constant = false;      // all strides are 0
  bool direct = false;        // elements need no conversion
  bool linear = false;        // element i is stored at index i
  bool round_values = false;  // values must be rounded or wrapped to the computation's dtype first
};

/// One elementwise computation.
struct ElementwiseCall {
  Loop loop, number_loop;
  const void* attributes;
  /// `block`: dtype of the operands in memory that the loop reads; `number`: that of constants.
  DType compute, block, number, result_dtype;
  std::size_t ins;
  std::int64_t numel, grain;
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxDims> sizes;
  std::array<Operand, kMaxOperands> operands;  // the output is the last operand
};

/// Returns true if values of `dtype` must be rounded or wrapped to the dtype of the computation.
bool needs_rounding(DType dtype, DType compute, bool exact);

/// Sorts dimensions by the strides of the output and merges adjacent dimensions that all operands
/// traverse evenly. Returns false if too many dimensions remain.
bool sort_dims(ElementwiseCall& p, bool exact, const KernelArgs& k);

}  // namespace taper::kernel
