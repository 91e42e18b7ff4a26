// Infrastructure of random fills: the generator and the order in which memory is filled.
#pragma once
#include <vector>

#include "core/random/fills.h"
#include "core/random/generator_state.h"
#include "ops/op.h"

namespace taper {

/// Target memory of a fill. A contiguous tensor is filled in row-major order, regardless of its
/// physical layout; any other tensor in the order of its visible strides.
class FillBuffer {
 public:
  /// Prepares a fill of `out`, which must outlive the buffer. `logical_strides` are the visible
  /// strides if the tensor is not contiguous, otherwise empty.
  FillBuffer(const View& out, const Shape& logical_strides);

  /// Returns contiguous memory for the elements in the order in which they are drawn.
  random::Target target() { return {memory_, out_.dtype, out_.numel}; }
  /// Copies the elements of `in`, a view of the same shape, to contiguous memory in that order.
  std::vector<std::byte> gather(const View& in) const;
  /// Copies the drawn elements to the tensor, if they were drawn into a separate buffer.
  void finish();

 private:
  const View& out_;
  Shape dims_;  // dimensions from outermost to innermost of the fill order
  std::vector<std::byte> buffer_;
  std::byte* memory_ = nullptr;
};

/// Base of the ops that fill their first input with random values.
struct RandomFill {
  Generator generator = default_generator();
  Shape logical_strides{};

  RandomFill() = default;
  RandomFill(const Tensor& self, const Generator& g)
      : generator(g), logical_strides(self.is_contiguous() ? Shape() : self.strides()) {}

  /// Assigns a zero gradient to the input, because its values are overwritten.
  void backward(BackwardContextBase& b) const;
  /// Fills `out` by draw(engine, target), called while holding the lock of the generator.
  template <class F> void fill(const View& out, F&& draw) const {
    if (out.numel == 0) return;
    FillBuffer to(out, logical_strides);
    {
      const random::GeneratorLock from(generator);
      draw(from.engine, to.target());
    }
    to.finish();
  }
};

/// Specifies an output with the shape and dtype of the input.
inline void infer_like_input(ShapeInference& infer) {
  infer.set_output(infer.shape(0), infer.dtype(0));
}
/// Throws the error of an op that requires a floating-point type for the dtype `infer.common`.
void random_dtype_error(const ShapeInference& infer);
/// Throws the same error for an op that only has an in-place form.
void fill_dtype_error(const ShapeInference& infer);
/// Throws that error unless input i is a floating-point tensor.
void check_floating_point(const ShapeInference& infer, int i);

/// Returns the OpInfo of a fill with floating-point numbers.
constexpr OpInfo fill_info(std::string_view name, std::string_view node) {
  return {.name = name,
          .node = node,
          .inputs = "self",
          .dtypes = DTypeSet::floating,
          .inplace = true,
          .random = true,
          .dtype_error = fill_dtype_error};
}

}  // namespace taper
