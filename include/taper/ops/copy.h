// Copying and converting tensors.
#pragma once
#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/memory_format.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that copy, convert and fill.
struct CopyMethods {
  /// Returns a copy with separate storage. Differentiable. PyTorch: torch.Tensor.clone.
  Tensor clone() const;
  /// As clone, in the given memory format; `preserve_format` preserves the order of the strides.
  /// Throws RuntimeError if channels_last is not applied to 4 dimensions, channels_last_3d not
  /// to 5. PyTorch: torch.Tensor.clone.
  Tensor clone(MemoryFormat memory_format) const;
  /// Returns the tensor itself if it is contiguous, otherwise a contiguous copy.
  /// PyTorch: torch.Tensor.contiguous.
  Tensor contiguous() const;
  /// Returns the tensor itself if it is contiguous in the given format, otherwise a copy that is.
  /// Throws RuntimeError for a wrong number of dimensions, and for preserve_format if the tensor is
  /// not contiguous. PyTorch: torch.Tensor.contiguous.
  Tensor contiguous(MemoryFormat memory_format) const;
  /// Returns the tensor with the given dtype and device; the tensor itself if it already has them.
  /// Differentiable. Throws DeviceError if the device does not have a backend.
  /// PyTorch: torch.Tensor.to.
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;
  Tensor to(const Tensor& like) const;  ///< converts to the dtype and device of `like`
  /// As above, with a memory format, or with `copy` for a copy in any case. Throw RuntimeError for
  /// a format that requires another number of dimensions.
  Tensor to(DType dtype, const TensorToOptions& options) const;
  Tensor to(Device device, const TensorToOptions& options) const;
  Tensor to(Device device, DType dtype, const TensorToOptions& options) const;
  Tensor to(const Tensor& like, const TensorToOptions& options) const;
  Tensor to(MemoryFormat memory_format) const;
  Tensor to(const TensorToOptions& options) const;
  /// Returns the tensor on the cpu, as `to(Device::cpu())`. PyTorch: torch.Tensor.cpu.
  Tensor cpu() const;
  /// Overwrites the elements with those of `source`, which is broadcast and converted. Returns the
  /// tensor. Throws ShapeError if `source` cannot be broadcast to the shape of the tensor. With
  /// `non_blocking`, the copy may be asynchronous on backends with streams.
  /// PyTorch: torch.Tensor.copy_.
  const Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
  /// Overwrites all elements with `value`, also those of an expanded tensor. Returns the tensor.
  /// Throws RuntimeError if `value` is out of the range of the dtype. PyTorch: torch.Tensor.fill_.
  const Tensor& fill_(const Scalar& value) const;
  /// Overwrites all elements with the element of a 0-dimensional tensor. Throws ShapeError for
  /// other tensors. PyTorch: torch.Tensor.fill_.
  const Tensor& fill_(const Tensor& value) const;
  /// Overwrites all elements with zero. Returns the tensor. PyTorch: torch.Tensor.zero_.
  const Tensor& zero_() const;
};
}  // namespace ops
}  // namespace taper
