// What all random fills of tensors share: the generator, and in which order memory is filled.
#pragma once
#include <vector>

#include "core/random/fills.h"
#include "core/random/generator_state.h"
#include "ops/op.h"

namespace taper {

/// Where the elements of a fill go. A tensor that users see as contiguous is filled in row-major
/// order, whatever its hidden physical order; any other one in the order of the memory they see.
class Placement {
 public:
  /// `visible`: the strides users see, if the tensor is not contiguous; else empty.
  Placement(const View& out, const Shape& visible);

  /// Contiguous memory for the elements, in the order in which they are to be drawn.
  random::Target target() { return {memory_, out_.dtype, out_.numel}; }
  /// Copies the elements of `in`, a view of the same shape, to contiguous memory in that order.
  std::vector<std::byte> gather(const View& in) const;
  /// Brings the elements to their places.
  void finish();

 private:
  const View& out_;
  Shape dims_;  // from the outermost to the innermost of the order
  std::vector<std::byte> buffer_;
  std::byte* memory_ = nullptr;
};

/// Attributes and rules of every op that fills its first input.
struct RandomFill {
  Generator generator = default_generator();
  Shape visible{};

  RandomFill() = default;
  RandomFill(const Tensor& self, const Generator& g)
      : generator(g), visible(self.is_contiguous() ? Shape() : self.strides()) {}

  /// Nothing of the former contents is left.
  void backward(BackwardContextBase& b) const;
  /// draw(engine, target) under the generator's lock.
  template <class F> void fill(const View& out, F&& draw) const {
    if (out.numel == 0) return;
    Placement to(out, visible);
    {
      const random::Drawing from(generator);
      draw(from.engine, to.target());
    }
    to.finish();
  }
};

/// What a fill with real numbers says first: as its input, which must be of a floating-point type.
void infer_floating(Infer& infer);
void expect_floating(const Infer& infer, int i);

inline const Tensor& self_of(const ops::RandomMethods* methods) {
  return *static_cast<const Tensor*>(methods);
}

}  // namespace taper
