// Conversion of whole operands, for kernels that compute bf16 in f32.
#pragma once
#include <optional>

#include "core/tensor_impl.h"
#include "cpu/scratch.h"

namespace taper::kernel {

/// Returns true for f32 and bf16, whose conversions are vectorized.
bool is_computed_in_f32(DType dtype);

/// Elements in f32: the memory itself if it is f32, otherwise a converted copy.
class FloatInput {
 public:
  /// `data` contains `numel` elements of a dtype that is computed in f32, or is null.
  FloatInput(const void* data, DType dtype, std::int64_t numel);
  const float* data() const { return data_; }

 private:
  const float* data_;
  std::optional<cpu::Scratch> copy_;
};

/// Memory for results in f32: that of a dense output if it is f32, otherwise scratch memory.
class FloatOutput {
 public:
  /// An absent output is represented by null.
  explicit FloatOutput(const View& v);
  float* data() const { return data_; }
  /// Converts the results to the dtype of the output.
  void store() const;

 private:
  const View& view_;
  float* data_ = nullptr;
  std::optional<cpu::Scratch> copy_;
};

}  // namespace taper::kernel
