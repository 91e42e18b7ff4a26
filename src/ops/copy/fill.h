#pragma once
#include "core/dtype_table.h"
#include "ops/op.h"
#include "taper/core/factory.h"

namespace taper {

/// Throws RuntimeError unless `numel` elements of `dtype` can be set to `value`. In PyTorch, a
/// single 16-bit float is set to infinity instead.
inline void check_fill_value(const ShapeInference& i, const Scalar& value, DType dtype,
                             std::int64_t numel) {
  if (numel != 1 || !is_reduced_floating_point(dtype)) i.check_range(value, dtype);
}

/// Returns a 0-dimensional tensor with a number that is an operand: out of the range of `dtype`, it
/// wraps around or becomes infinite.
Tensor operand_number(const Scalar& value, DType dtype, Device device);

/// Sets every element to `value`; in place only.
struct Fill {
  Scalar value{};
  TAPER_ATTRIBUTES(value)
  static constexpr OpInfo op{.name = "fill",
                             .node = "FillBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .inplace = true,
                             .has_cpu_kernel = true,
                             .accepts_overlap = true};
  void infer(ShapeInference& i) const {
    check_fill_value(i, value, i.dtype(0), i.tensor(0).numel);
    i.set_output(i.shape(0), i.dtype(0));
  }
  void backward(BackwardContext<Fill>& b) const {
    b[0] = zeros_like(b.grad());  // the overwritten value has zero gradient
  }
};

}  // namespace taper
