#include "ops/reduce/dims.h"

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::reduce {

Mask mask_of(const std::optional<Shape>& dims, std::size_t rank, std::string_view op) {
  if (rank > 64) fail<ShapeError>("{}: only tensors with up to 64 dims are supported", op);
  if (!dims || dims->empty()) return rank == 64 ? ~Mask{0} : (Mask{1} << rank) - 1;
  Mask mask = 0;
  for (std::int64_t d : *dims) {
    const auto at = static_cast<std::size_t>(wrap_dim(d, rank, op));
    if (in_mask(mask, at))
      fail<ValueError>("{}: dim {} appears multiple times in the list of dims {}", op, at, *dims);
    mask |= Mask{1} << at;
  }
  return mask;
}

Shape result_shape(const Shape& input, Mask mask, bool keepdim) {
  Shape result;
  for (std::size_t d = 0; d < input.size(); ++d) {
    if (!in_mask(mask, d))
      result.push_back(input[d]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

std::int64_t reduced_numel(const Shape& input, Mask mask) {
  std::int64_t n = 1;
  for (std::size_t d = 0; d < input.size(); ++d)
    if (in_mask(mask, d)) n *= input[d];
  return n;
}

void check_has_elements(ShapeInference& i, const std::optional<Shape>& dims) {
  const Shape& shape = i.shape(0);
  const Mask mask = mask_of(dims, shape.size(), i.op.function());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!in_mask(mask, d) || shape[d] != 0) continue;
    if (!dims || dims->empty())
      i.fail<IndexError>(
          "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
          "dim with the 'dim' argument (shape {})",
          shape);
    i.fail<IndexError>("Expected reduction dim {} to have non-zero size (shape {})", d, shape);
  }
}

Tensor restore_dims(const Tensor& t, const Shape& input, const std::optional<Shape>& dims,
                    bool keepdim, std::string_view op) {
  if (keepdim || input.empty() || t.shape().size() == input.size()) return t;
  return t.reshape(result_shape(input, mask_of(dims, input.size(), op), true));
}

Tensor restore_dim(const Tensor& t, const Shape& input, std::int64_t dim, bool keepdim) {
  return keepdim || input.empty() ? t : t.unsqueeze(dim);
}

Tensor scatter_to_indices(BackwardContextBase& b, const Tensor& indices, std::int64_t dim,
                          bool keepdim) {
  const TensorMeta& x = b.input_meta(0);
  const Tensor& g = b.grad();
  const Tensor whole = zeros(x.shape, {.dtype = g.dtype(), .device = g.device()});
  return whole.scatter_(dim, restore_dim(indices, x.shape, dim, keepdim),
                        restore_dim(g, x.shape, dim, keepdim));
}

}  // namespace taper::reduce
