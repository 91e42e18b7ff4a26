// What a tensor says about itself.
#include "taper/core/tensor.h"

#include "core/check.h"
#include "core/tensor_impl.h"

namespace taper {
namespace {

TensorImpl& body(const Tensor& t) {
  if (!t.impl()) fail<RuntimeError>("tensor: this tensor is undefined");
  return *t.impl();
}

}  // namespace

const Shape& Tensor::shape() const { return body(*this).shape; }
std::int64_t Tensor::size(std::int64_t d) const {
  const Shape& s = shape();
  if (s.empty())
    fail<IndexError>("size: Dimension specified as {} but tensor has no dimensions", d);
  return s[static_cast<std::size_t>(wrap_dim(d, s.size(), "size"))];
}
const Shape& Tensor::strides() const { return body(*this).strides; }
std::int64_t Tensor::stride(std::int64_t d) const {
  const Shape& s = strides();
  if (s.empty())
    fail<IndexError>("stride: Dimension specified as {} but tensor has no dimensions", d);
  return s[static_cast<std::size_t>(wrap_dim(d, s.size(), "stride"))];
}
std::int64_t Tensor::storage_offset() const { return body(*this).offset; }
std::int64_t Tensor::dim() const { return static_cast<std::int64_t>(shape().size()); }
std::int64_t Tensor::numel() const { return body(*this).numel; }
DType Tensor::dtype() const { return body(*this).dtype; }
Device Tensor::device() const { return body(*this).device(); }
bool Tensor::is_contiguous() const { return body(*this).contiguous; }
bool Tensor::shares_storage_with(const Tensor& other) const {
  return body(*this).storage == body(other).storage;
}

void* Tensor::raw_data(DType type) const {
  TensorImpl& t = body(*this);
  if (t.dtype != type)
    fail<DTypeError>("data: expected elements of type {}, the tensor has {}", type, t.dtype);
  if (!t.device().is_cpu())
    fail<DeviceError>("data: the elements are on {}; copy them with to(\"cpu\") first", t.device());
  if (!t.contiguous)
    fail<RuntimeError>(
        "data: the tensor of shape {} and strides {} is not contiguous; call "
        "contiguous() first",
        t.shape, t.strides);
  std::byte* first = t.storage->expose().data;
  return first ? first + t.offset * static_cast<std::int64_t>(size_of(type)) : nullptr;
}

std::uint32_t Tensor::version() const {
  const TensorImpl& t = body(*this);
  if (t.inference) fail<RuntimeError>("version: Inference tensors do not track version counter.");
  return t.version().load(std::memory_order_relaxed);
}
bool Tensor::is_inference() const { return body(*this).inference; }
bool Tensor::is_view() const { return static_cast<bool>(body(*this).base); }

}  // namespace taper
