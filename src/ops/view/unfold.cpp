#include "ops/view/unfold.h"

#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper {

void Unfold::infer(ShapeInference& i) const {
  const TensorImpl& t = i.tensor(0);
  const auto d = static_cast<std::size_t>(wrap_dim(dimension, t.shape.size(), op.function()));
  const std::int64_t length = t.shape.empty() ? 1 : t.shape[d];
  if (size < 0) i.fail<ValueError>("size is {} but must be >= 0", size);
  if (size > length)
    i.fail("maximum size for tensor at dimension {} is {} but size is {}", d, length, size);
  if (step <= 0) i.fail<ValueError>("step is {} but must be > 0", step);
  Shape shape = t.shape, strides = t.strides;
  std::int64_t stride = 1;
  if (!shape.empty()) {
    stride = strides[d];
    shape[d] = (length - size) / step + 1;
    // If the product overflows, there is one slice and the stride is not used.
    if (__builtin_mul_overflow(step, stride, &strides[d])) strides[d] = stride;
  }
  shape.push_back(size), strides.push_back(stride);
  i.set_view_output(shape, strides, t.offset);
}

void Unfold::backward(BackwardContext<Unfold>& b) const {
  // Slices may overlap: their gradients are added at the positions of their elements.
  const Shape& shape = b.input_meta(0).shape;
  const Tensor& g = b.grad();
  if (shape.empty()) {
    b[0] = g.sum();
    return;
  }
  const std::int64_t d = wrap_dim(dimension, shape.size(), op.function());
  const auto at = static_cast<std::size_t>(d);
  const TensorOptions indices{.dtype = DType::i64, .device = g.device()};
  const std::int64_t slices = g.size(d);
  const Tensor position = (arange(slices, indices).unsqueeze(1) * step + arange(size, indices));
  Shape merged = shape;
  merged[at] = slices * size;
  Shape order;  // the elements of a slice directly behind the slices
  for (std::int64_t e = 0; e < g.dim() - 1; ++e) {
    order.push_back(e);
    if (e == d) order.push_back(g.dim() - 1);
  }
  b[0] = zeros(shape, {.dtype = g.dtype(), .device = g.device()})
             .index_add(d, position.reshape(-1), g.permute(order).reshape(merged));
}

TAPER_DEFINE_OP(unfold, Unfold);

Tensor ops::RearrangeMethods::unfold(IntArg dimension, IntArg size, IntArg step) const {
  return run(Unfold{dimension, size, step}, self_of(this));
}

}  // namespace taper
