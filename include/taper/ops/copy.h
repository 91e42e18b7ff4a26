// Copying and converting tensors.
#pragma once
#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that copy, convert and fill.
struct CopyMethods {
  /// Returns a copy with separate storage. Differentiable. PyTorch: torch.Tensor.clone.
  Tensor clone() const;
  /// Returns the tensor itself if it is contiguous, otherwise a contiguous copy.
  /// PyTorch: torch.Tensor.contiguous.
  Tensor contiguous() const;
  /// Returns the tensor with the given dtype and device; the tensor itself if it already has them.
  /// Differentiable. Throws DeviceError if the device does not have a backend.
  /// PyTorch: torch.Tensor.to.
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;
  Tensor to(const Tensor& like) const;  ///< converts to the dtype and device of `like`
  /// Returns the tensor on the cpu, as `to(Device::cpu())`. PyTorch: torch.Tensor.cpu.
  Tensor cpu() const;
  /// Overwrites the elements with those of `source`, which is broadcast and converted. Returns the
  /// tensor. Throws ShapeError if `source` cannot be broadcast to the shape of the tensor.
  /// PyTorch: torch.Tensor.copy_.
  const Tensor& copy_(const Tensor& source) const;
  /// Overwrites all elements with `value`. Returns the tensor. PyTorch: torch.Tensor.fill_.
  const Tensor& fill_(const Scalar& value) const;
  /// Overwrites all elements with the element of a 0-dimensional tensor. Throws ShapeError for
  /// other tensors. PyTorch: torch.Tensor.fill_.
  const Tensor& fill_(const Tensor& value) const;
  /// Overwrites all elements with zero. Returns the tensor. PyTorch: torch.Tensor.zero_.
  const Tensor& zero_() const;
};
}  // namespace ops
}  // namespace taper
