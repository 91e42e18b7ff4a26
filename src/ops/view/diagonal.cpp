#include "ops/view/diagonal.h"
#include "ops/forms.h"

#include <algorithm>

#include "taper/core/factory.h"

namespace taper {

void Diagonal::infer(ShapeInference& i) const {
  const TensorImpl& t = i.tensor(0);
  const std::size_t rank = t.shape.size();
  const auto a = static_cast<std::size_t>(wrap_dim(dim1, rank, op.function())),
             b = static_cast<std::size_t>(wrap_dim(dim2, rank, op.function()));
  if (rank < 2 || a == b)
    i.fail<IndexError>("diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  // Beyond the matrix, every offset selects no elements.
  const std::int64_t limited = std::clamp(offset, -t.shape[a], t.shape[b]);
  const std::int64_t down = std::max<std::int64_t>(-limited, 0),
                     right = std::max<std::int64_t>(limited, 0);
  const std::int64_t length =
      std::max<std::int64_t>(std::min(t.shape[a] - down, t.shape[b] - right), 0);
  const std::int64_t start = length ? down * t.strides[a] + right * t.strides[b] : 0;
  const std::int64_t stride = t.strides[a] + t.strides[b];
  Shape shape = t.shape, strides = t.strides;
  shape.erase(std::max(a, b)), strides.erase(std::max(a, b));
  shape.erase(std::min(a, b)), strides.erase(std::min(a, b));
  shape.push_back(length), strides.push_back(stride);
  i.set_view_output(shape, strides, t.offset + start);
}

void Diagonal::backward(BackwardContext<Diagonal>& b) const {
  const Tensor full_grad =
      zeros(b.input_meta(0).shape, {.dtype = b.grad().dtype(), .device = b.grad().device()});
  full_grad.diagonal(offset, dim1, dim2).copy_(b.grad());
  b[0] = full_grad;
}

TAPER_DEFINE_OP(diagonal, Diagonal);

Tensor diagonal(const Tensor& x, IntArg offset, IntArg dim1, IntArg dim2) {
  return run(Diagonal{offset, dim1, dim2}, x);
}
Tensor ops::LinalgMethods::diagonal(IntArg offset, IntArg dim1, IntArg dim2) const {
  return run(Diagonal{offset, dim1, dim2}, self_of(this));
}

}  // namespace taper
