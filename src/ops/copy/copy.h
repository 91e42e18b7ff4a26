// clone, cast and copy_: copies of elements to another layout, dtype or tensor.
#pragma once
#include "ops/op.h"
#include "taper/core/factory.h"

namespace taper {

struct Clone {
  Shape stride{};  ///< of the copy, which is dense; empty: row-major
  TAPER_ATTRIBUTES(stride)
  static constexpr OpInfo op{.name = "clone",
                             .node = "CloneBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .layout = OutputLayout::propagate,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Clone>& b) const { b[0] = b.grad(); }
};

struct Cast {
  DType dtype = DType::f32;
  TAPER_ATTRIBUTES(dtype)
  static constexpr OpInfo op{.name = "_to_copy",
                             .node = "ToCopyBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .layout = OutputLayout::propagate,
                             .has_cpu_kernel = true,
                             .public_name = "to"};
  void infer(ShapeInference& i) const { i.set_output(i.shape(0), dtype); }
  void backward(BackwardContext<Cast>& b) const { b[0] = b.grad().to(b.input_meta(0).dtype); }
};

struct Copy {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "copy",
                             .node = "CopyBackwards",
                             .inputs = "input src",
                             .dtypes = DTypeSet::every,
                             .broadcast = true,
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const { i.set_output(*i.broadcast, i.dtype(0)); }
  void backward(BackwardContext<Copy>& b) const {
    if (b.needs_input_grad(0))
      b[0] = zeros_like(b.grad());  // the overwritten value has zero gradient
    if (b.needs_input_grad(1)) b[1] = b.grad();
  }
};

}  // namespace taper
