// Properties and element access of Tensor.
#include "taper/core/tensor.h"

#include "core/check.h"
#include "core/tensor_impl.h"

namespace taper {

TensorImpl& defined_impl(const Tensor& t, const char* caller) {
  if (!t.impl())
    fail<RuntimeError>(
        "{}: this tensor is undefined: it was default-constructed, or represents an "
        "absent gradient, bias or optional result",
        caller);
  return *t.impl();
}

namespace {

/// Returns the implementation of a tensor. Throws ValueError, with the name `property` of the
/// requested property, if the tensor is uninitialized.
TensorImpl& initialized_impl(const Tensor& t, const char* property) {
  TensorImpl& b = defined_impl(t, property);
  if (b.lazy != LazyKind::no) [[unlikely]]
    throw_uninitialized(b, property);
  return b;
}

/// Returns the address of the first element in the buffer that `access` returns; null if it has no
/// data. Throws unless the tensor has the dtype `type`, is on the CPU and is contiguous.
std::byte* first_element(const Tensor& tensor, DType type, const Buffer& (Storage::*access)()) {
  TensorImpl& t = defined_impl(tensor);
  if (t.dtype != type)
    fail<DTypeError>("data: expected scalar type {} but found {}", type, t.dtype);
  if (!t.device().is_cpu())
    fail<DeviceError>("data: the elements are on {}; copy them with to(\"cpu\") first", t.device());
  if (!t.contiguous)
    fail<RuntimeError>(
        "data: the tensor of shape {} and strides {} is not contiguous; call "
        "contiguous() first",
        t.shape, t.strides);
  std::byte* first = (*t.storage.*access)().data;
  return first ? first + t.byte_offset() : nullptr;
}

}  // namespace

const Shape& Tensor::shape() const {
  const TensorImpl& t = defined_impl(*this);
  if (t.lazy != LazyKind::no) [[unlikely]]
    fail<RuntimeError>(
        "Can't access the shape of an uninitialized parameter or buffer. This error usually "
        "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
        "initialized one. Call `forward` to initialize the parameters before accessing their "
        "attributes.");
  return t.shape;
}
std::int64_t Tensor::size(IntArg d) const {
  const Shape& s = defined_impl(*this).shape;
  if (s.empty())
    fail<IndexError>("size: Dimension specified as {} but tensor has no dimensions", d);
  return s[static_cast<std::size_t>(wrap_dim(d, s.size(), "size"))];
}
const Shape& Tensor::strides() const { return initialized_impl(*this, "stride").strides; }
std::int64_t Tensor::stride(IntArg d) const {
  const Shape& s = strides();
  if (s.empty())
    fail<IndexError>("stride: Dimension specified as {} but tensor has no dimensions", d);
  return s[static_cast<std::size_t>(wrap_dim(d, s.size(), "stride"))];
}
std::int64_t Tensor::storage_offset() const { return defined_impl(*this).offset; }
std::int64_t Tensor::dim() const {
  return static_cast<std::int64_t>(initialized_impl(*this, "dim").shape.size());
}
std::int64_t Tensor::numel() const { return initialized_impl(*this, "numel").numel; }
DType Tensor::dtype() const { return defined_impl(*this).dtype; }
bool Tensor::is_signed() const { return taper::is_signed(dtype()); }
bool Tensor::is_nonzero() const {
  if (numel() != 1)
    fail<RuntimeError>("is_nonzero: expected a tensor of one element: got shape {}", shape());
  return item().to_bool();
}
bool Tensor::is_same_size(const Tensor& other) const { return shape() == other.shape(); }
bool Tensor::is_set_to(const Tensor& tensor) const {
  return shares_storage_with(tensor) && storage_offset() == tensor.storage_offset() &&
         shape() == tensor.shape() && strides() == tensor.strides();
}
Device Tensor::device() const { return defined_impl(*this).device(); }
bool Tensor::is_contiguous() const { return defined_impl(*this).contiguous; }
bool Tensor::shares_storage_with(const Tensor& other) const {
  return defined_impl(*this).storage == defined_impl(other).storage;
}

const void* Tensor::raw_data(DType type) const {
  return first_element(*this, type, &Storage::row_major_buffer);
}
void* Tensor::raw_mutable_data(DType type) const {
  return first_element(*this, type, &Storage::expose);
}

std::uint32_t Tensor::version() const {
  const TensorImpl& t = defined_impl(*this);
  if (t.inference) fail<RuntimeError>("version: Inference tensors do not track version counter.");
  return t.version().load(std::memory_order_relaxed);
}
bool Tensor::is_inference() const { return defined_impl(*this).inference; }
bool Tensor::is_view() const { return static_cast<bool>(defined_impl(*this).base); }

}  // namespace taper
