// Making, copying and converting tensors.
#pragma once
#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
struct CopyMethods {
  /// A copy with storage of its own; differentiable.
  Tensor clone() const;
  /// Itself if its elements are laid out in row-major order, else a copy that is.
  Tensor contiguous() const;
  /// Converts; gives the tensor itself where there is nothing to do. Differentiable.
  /// PyTorch: Tensor.to. Throws DeviceError for a device without a backend.
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;
  Tensor to(const Tensor& like) const;  ///< its dtype and device
  Tensor cpu() const;
  /// Overwrites the elements with those of `source`, broadcast and converted. Returns the tensor.
  const Tensor& copy_(const Tensor& source) const;
  const Tensor& fill_(const Scalar& value) const;
  const Tensor& zero_() const;
};
}  // namespace ops
}  // namespace taper
