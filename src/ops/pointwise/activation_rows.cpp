#include "ops/pointwise/activation_rows.h"
#include "ops/autocast.h"

#include "core/check.h"
#include "ops/pointwise/binary.h"
#include "ops/pointwise/define_rows.h"
#include "ops/pointwise/functions.h"
#include "taper/ops/elementary.h"

namespace taper {
namespace {

Tensor silu_second_derivative(const Tensor& x) {
  const Tensor s = x.sigmoid();
  return s * (1 - s) * (2 + x * (1 - 2 * s));
}
Tensor mish_second_derivative(const Tensor& x) {
  const Tensor s = x.sigmoid(), t = softplus(x).tanh();
  const Tensor slope = s * (1 - t * t);  // derivative of t
  return slope * (2 + x * (1 - s - 2 * t * s));
}

}  // namespace

#define TAPER_FORMS_functions(name, Type) TAPER_FUNCTIONS(name, (), Type{})
#define TAPER_FORMS_function(name, Type) TAPER_FUNCTION(name, (), Type{})
#define TAPER_FORMS_internal(name, Type)
#define TAPER_FORMS_adjoint(name, Type)

#define UNARY TAPER_DEFINE_UNARY
#define BINARY TAPER_DEFINE_BINARY
#include "ops/pointwise/activation_rows.inc"

Tensor glu(const Tensor& input, IntArg dim) {
  const std::int64_t rank = input.dim();
  if (rank == 0) fail<ShapeError>("glu: a 0-dimensional tensor cannot be split");
  const std::int64_t size = input.size(dim);
  if (size % 2 != 0)
    fail<ShapeError>("glu: the size of dimension {} must be even, got {}", std::int64_t{dim}, size);
  return run(Glu{}, input.narrow(dim, 0, size / 2), input.narrow(dim, size / 2, size / 2));
}

Tensor prelu(const Tensor& input, const Tensor& weight) {
  if (tls.autocast) return autocast_call(AutocastPolicy::lower_precision, prelu, input, weight);
  if (input.dtype() != weight.dtype())
    fail<DTypeError>("prelu: input and weight must have the same dtype, got {} and {}",
                     input.dtype(), weight.dtype());
  if (weight.dim() > 1)
    fail<ShapeError>("prelu: expected weight with 0 or 1 dimensions, got {}", weight.shape());
  if (weight.numel() == 1) return run(PreluKernel{}, input, weight.view(Shape{}));
  const std::int64_t channels = input.dim() > 1 ? input.size(1) : 1;
  if (input.dim() == 0)
    fail<ShapeError>("prelu: expected 1 weight for an input without dimensions, got {}",
                     weight.numel());
  if (weight.numel() != channels)
    fail<ShapeError>("prelu: expected 1 weight or one per channel, which are {}, got {}", channels,
                     weight.numel());
  Shape shape = Shape::filled(static_cast<std::size_t>(input.dim()), 1);
  shape[input.dim() > 1 ? 1 : 0] = channels;
  return run(PreluKernel{}, input, weight.view(shape));
}
Tensor ops::ElementaryMethods::prelu(const Tensor& weight) const {
  return taper::prelu(self_of(this), weight);
}

}  // namespace taper
