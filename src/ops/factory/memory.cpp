// Tensors created from values in memory, by copy or by reference.
#include "core/thread_local_state.h"
#include "ops/factory/make.h"

namespace taper {

template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape, const TensorOptions& options) {
  if (shape.numel() != static_cast<std::int64_t>(values.size()))
    fail<ShapeError>("tensor: got {} values, expected {} for shape {}", values.size(),
                     shape.numel(), shape);
  return factory::make_from_function(
      shape, options.dtype.value_or(dtype_of<T>), options, [&](std::int64_t i, auto type) {
        return element_cast<decltype(type)>(values[static_cast<std::size_t>(i)]);
      });
}

#define TAPER_DTYPE(id, type, ...) \
  template Tensor tensor(std::span<const type>, const Shape&, const TensorOptions&);
#include "taper/core/dtypes.inc"

namespace {

struct BlobOwner : ExternalOwner {
  BlobOwner(void* data, SharedFunction<void(void*)> deleter)
      : data_(data), deleter_(std::move(deleter)) {}
  ~BlobOwner() override {
    if (deleter_) deleter_(data_);
  }

 private:
  void* data_;
  SharedFunction<void(void*)> deleter_;
};

}  // namespace

Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options,
                 SharedFunction<void(void*)> deleter) {
  return from_blob(data, shape, contiguous_strides(shape), options, std::move(deleter));
}

Tensor from_blob(void* data, const Shape& shape, const Shape& strides, const TensorOptions& options,
                 SharedFunction<void(void*)> deleter) {
  const DType dtype = options.dtype.value_or(default_dtype());
  const Device device = options.device.value_or(Device::cpu());
  if (device.is_meta()) fail<DeviceError>("from_blob: a meta tensor has no memory");
  if (strides.size() != shape.size())
    fail<ShapeError>("from_blob: got {} strides, expected {} for shape {}", strides.size(),
                     shape.size(), shape);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0 || strides[i] < 0)
      fail<ShapeError>("from_blob: got shape {} with strides {}, expected no negative numbers",
                       shape, strides);
  static_cast<void>(shape.numel());
  const auto extent = storage_extent(shape, strides);
  if (!extent)
    fail<ShapeError>("from_blob: the extent of shape {} with strides {} exceeds 2^63 - 1", shape,
                     strides);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(*extent, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    fail<ShapeError>("from_blob: the size in bytes of {} {} exceeds 2^63 - 1", dtype, shape);
  if (!data && bytes) fail<ValueError>("from_blob: got a null pointer for shape {}", shape);
  if (options.requires_grad && !is_floating_point(dtype))
    fail<DTypeError>("from_blob: only floating-point tensors can require gradients, got {}", dtype);
  auto owner = Ref<ExternalOwner>::adopt(new BlobOwner(data, std::move(deleter)));
  auto storage = Ref<Storage>::adopt(new Storage(
      static_cast<std::byte*>(data), static_cast<std::size_t>(bytes), device, std::move(owner)));
  Tensor t(Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), shape, strides, 0, dtype)));
  impl(t).inference = tls.inference;
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

}  // namespace taper
