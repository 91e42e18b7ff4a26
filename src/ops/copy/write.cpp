// Tensor::item, and assignment through temporaries: `x[0] = v`.
#include "core/check.h"
#include "ops/indexing/subscript.h"
#include "ops/kernel/element.h"
#include "taper/core/tensor.h"

namespace taper {

Scalar Tensor::item() const {
  const TensorImpl& t = defined_impl(*this);
  if (t.numel != 1)
    fail<RuntimeError>("item: a Tensor with {} elements cannot be converted to Scalar (shape {})",
                       t.numel, t.shape);
  if (t.device().is_meta())
    fail<RuntimeError>("item: Tensor.item() cannot be called on meta tensors");
  if (!t.device().is_cpu()) return detach().to(Device::cpu()).item();
  View v;
  Shape scratch;
  resolve(t, LayoutRequest::any, v, scratch);
  if (taper::is_floating_point(t.dtype)) return kernel::load<double>(v.data, t.dtype);
  const auto i = kernel::load<std::int64_t>(v.data, t.dtype);
  if (t.dtype == DType::u64 && i < 0)
    fail<ValueError>("item: value cannot be converted to type int64_t without overflow: got {}",
                     static_cast<std::uint64_t>(i));
  return t.dtype == DType::bool_ ? Scalar(i != 0) : Scalar(i);
}

void Tensor::operator=(const Tensor& value) && {
  copy_(indexing::without_leading_ones(value, shape().size()));
}
void Tensor::operator=(const Scalar& value) && { fill_(value); }

Tensor Tensor::operator[](std::int64_t i) const {
  if (dim() == 0)
    fail<IndexError>(
        "index: invalid index of a 0-dim tensor. Use `tensor.item<T>()` to convert a 0-dim tensor "
        "to a number: got index {}",
        i);
  return select(0, i);
}

}  // namespace taper
