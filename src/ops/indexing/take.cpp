// Selection by flat index, and tuples of indices.
#include "ops/forms.h"
#include "ops/indexing/index.h"
#include "ops/indexing/masked.h"
#include "taper/core/factory.h"
#include "taper/core/index.h"

namespace taper {
namespace {

void check_flat_index(const Tensor& index, std::string_view op) {
  if (index.dtype() != DType::i64)
    fail<DTypeError>("{}: Expected a long tensor for index, but got {}", op, index.dtype());
}

}  // namespace

Tensor take(const Tensor& x, const Tensor& index) {
  check_flat_index(index, "take");
  const Tensor flat = x.reshape(-1), at = index.reshape(-1);
  if (x.numel() == 0 && index.numel() != 0)
    fail<IndexError>("take: tried to take from an empty tensor");
  return run(IndexOp{Shape{0}}, flat, at.unsqueeze(0)).reshape(index.shape());
}

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  check_flat_index(index, "put");
  if (source.dtype() != x.dtype())
    fail<DTypeError>("put: Expected source and self to have the same dtype, but got {} and {}",
                     source.dtype(), x.dtype());
  if (index.numel() != source.numel())
    fail<ShapeError>(
        "put: Expected source and index to have the same number of elements, but got {} and {}",
        source.numel(), index.numel());
  if (x.numel() == 0 && index.numel() != 0)
    fail<IndexError>("put: Tried to put elements into an empty tensor");
  return x.reshape(-1)
      .index_put({index.reshape(-1)}, source.reshape(-1), accumulate)
      .reshape(x.shape());
}

Tensor argwhere(const Tensor& x) { return x.nonzero(); }
std::vector<Tensor> nonzero_as_tuple(const Tensor& x) {
  return (x.dim() == 0 ? x.unsqueeze(0) : x).nonzero().unbind(1);
}
std::vector<Tensor> where(const Tensor& condition) { return nonzero_as_tuple(condition); }
Tensor nonzero_static(const Tensor& x, IntArg size, IntArg fill_value) {
  return run(NonzeroStatic{size, fill_value}, x);
}

Tensor index_add(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  return x.index_add(dim, index, source, alpha);
}
Tensor index_copy(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& source) {
  return x.index_copy(dim, index, source);
}
Tensor index_fill(const Tensor& x, IntArg dim, const Tensor& index, const Scalar& value) {
  return x.index_fill(dim, index, value);
}
Tensor index_fill(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& value) {
  return x.index_fill(dim, index, value);
}
Tensor index_put(const Tensor& x, std::initializer_list<Index> indices, const Tensor& values,
                 bool accumulate) {
  return x.index_put(indices, values, accumulate);
}
Tensor index_put(const Tensor& x, std::span<const Index> indices, const Tensor& values,
                 bool accumulate) {
  return x.index_put(indices, values, accumulate);
}
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  return x.masked_scatter(mask, source);
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  if (is_floating_point(indices.dtype()) || indices.dtype() == DType::bool_)
    fail<DTypeError>("unravel_index: expected 'indices' to be integer dtype, but got {}",
                     indices.dtype());
  for (const std::int64_t size : shape)
    if (size < 0)
      fail<ValueError>("unravel_index: 'shape' cannot have negative values, but got {}", shape);
  NoGrad guard;
  if (indices.numel() > 0) {
    const auto least = indices.min().item<std::int64_t>(),
               greatest = indices.max().item<std::int64_t>();
    if (least < 0 || greatest >= shape.numel())
      fail<ValueError>("unravel_index: indices out of bounds: got {} to {} for shape {}", least,
                       greatest, shape);
  }
  std::vector<Tensor> result(shape.size());
  Tensor rest = indices;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Tensor quotient = div(rest, shape[d], "floor");
    result[d] = rest - quotient * shape[d];
    rest = quotient;
  }
  return result;
}

namespace ops {
Tensor ScatterMethods::take(const Tensor& index) const { return taper::take(self_of(this), index); }
Tensor ScatterMethods::put(const Tensor& index, const Tensor& source, bool accumulate) const {
  return taper::put(self_of(this), index, source, accumulate);
}
const Tensor& ScatterMethods::put_(const Tensor& index, const Tensor& source,
                                   bool accumulate) const {
  const Tensor& x = self_of(this);
  return x.copy_(taper::put(x, index, source, accumulate));
}
Tensor ScatterMethods::argwhere() const { return self_of(this).nonzero(); }
std::vector<Tensor> ScatterMethods::nonzero_as_tuple() const {
  return taper::nonzero_as_tuple(self_of(this));
}
Tensor ScatterMethods::nonzero_static(IntArg size, IntArg fill_value) const {
  return taper::nonzero_static(self_of(this), size, fill_value);
}
}  // namespace ops

}  // namespace taper
