// Padding layers.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Base of the padding layers. `padding` has two counts, before and after, per spatial dimension,
/// starting with the last dimension; one number applies to all sides. Negative counts crop the
/// input.
class PadBase : public Module {
 public:
  Shape padding;
  /// Returns the padded input. Throws ShapeError if the counts do not fit the input, and the
  /// circular layers ValueError if its rank is not supported.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;

 protected:
  /// `mode` is that of functional::pad.
  PadBase(std::size_t rank, const Shape& counts, const char* mode);
  explicit PadBase(PadBase&) = default;
  PadBase(PadBase&&) noexcept = default;
  PadBase& operator=(PadBase&&) noexcept = default;

 private:
  std::size_t rank_;
  const char* mode_;
};

/// Base of the layers that pad with a constant.
class ConstantPadBase : public PadBase {
 public:
  Scalar value;
  /// Returns the padded input. Throws ShapeError if the counts do not fit the input.
  Tensor forward(const Tensor& input) const;

 protected:
  ConstantPadBase(std::size_t rank, const Shape& counts, const Scalar& fill)
      : PadBase(rank, counts, "constant"), value(fill) {}
  explicit ConstantPadBase(ConstantPadBase&) = default;
  ConstantPadBase(ConstantPadBase&&) noexcept = default;
  ConstantPadBase& operator=(ConstantPadBase&&) noexcept = default;
};

/// Circular padding: fills each border of an input `(N, C, W)` or `(C, W)` with values from the
/// opposite end. `padding` has 2 counts. PyTorch: torch.nn.CircularPad1d.
class CircularPad1d : public Layer<CircularPad1d, PadBase> {
 public:
  explicit CircularPad1d(const Shape& counts) : Layer(1, counts, "circular") {}
  TAPER_DETAIL_BRACED_SIZES(CircularPad1d)
  TAPER_LAYER(CircularPad1d)
};

/// Circular padding: fills each border of an input `(N, C, H, W)` or `(C, H, W)` with values from
/// the opposite end. `padding` has 4 counts. PyTorch: torch.nn.CircularPad2d.
class CircularPad2d : public Layer<CircularPad2d, PadBase> {
 public:
  explicit CircularPad2d(const Shape& counts) : Layer(2, counts, "circular") {}
  TAPER_DETAIL_BRACED_SIZES(CircularPad2d)
  TAPER_LAYER(CircularPad2d)
};

/// Circular padding: fills each border of an input `(N, C, D, H, W)` or `(C, D, H, W)` with values
/// from the opposite end. `padding` has 6 counts. PyTorch: torch.nn.CircularPad3d.
class CircularPad3d : public Layer<CircularPad3d, PadBase> {
 public:
  explicit CircularPad3d(const Shape& counts) : Layer(3, counts, "circular") {}
  TAPER_DETAIL_BRACED_SIZES(CircularPad3d)
  TAPER_LAYER(CircularPad3d)
};

/// Pads an input `(N, C, W)` or `(C, W)` with `value`. `padding` has 2 counts.
/// PyTorch: torch.nn.ConstantPad1d.
class ConstantPad1d : public Layer<ConstantPad1d, ConstantPadBase> {
 public:
  ConstantPad1d(const Shape& counts, const Scalar& fill) : Layer(1, counts, fill) {}
  TAPER_LAYER(ConstantPad1d)
  std::string extra_repr() const override;
};

/// Pads an input `(N, C, H, W)` or `(C, H, W)` with `value`. `padding` has 4 counts.
/// PyTorch: torch.nn.ConstantPad2d.
class ConstantPad2d : public Layer<ConstantPad2d, ConstantPadBase> {
 public:
  ConstantPad2d(const Shape& counts, const Scalar& fill) : Layer(2, counts, fill) {}
  TAPER_LAYER(ConstantPad2d)
  std::string extra_repr() const override;
};

/// Pads an input `(N, C, D, H, W)` or `(C, D, H, W)` with `value`. `padding` has 6 counts.
/// PyTorch: torch.nn.ConstantPad3d.
class ConstantPad3d : public Layer<ConstantPad3d, ConstantPadBase> {
 public:
  ConstantPad3d(const Shape& counts, const Scalar& fill) : Layer(3, counts, fill) {}
  TAPER_LAYER(ConstantPad3d)
  std::string extra_repr() const override;
};

/// Pads an input `(N, C, W)` or `(C, W)` with zeros. `padding` has 2 counts.
/// PyTorch: torch.nn.ZeroPad1d.
class ZeroPad1d : public Layer<ZeroPad1d, ConstantPadBase> {
 public:
  explicit ZeroPad1d(const Shape& counts) : Layer(1, counts, 0.0) {}
  TAPER_DETAIL_BRACED_SIZES(ZeroPad1d)
  TAPER_LAYER(ZeroPad1d)
};

/// Pads an input `(N, C, H, W)` or `(C, H, W)` with zeros. `padding` has 4 counts.
/// PyTorch: torch.nn.ZeroPad2d.
class ZeroPad2d : public Layer<ZeroPad2d, ConstantPadBase> {
 public:
  explicit ZeroPad2d(const Shape& counts) : Layer(2, counts, 0.0) {}
  TAPER_DETAIL_BRACED_SIZES(ZeroPad2d)
  TAPER_LAYER(ZeroPad2d)
};

/// Pads an input `(N, C, D, H, W)` or `(C, D, H, W)` with zeros. `padding` has 6 counts.
/// PyTorch: torch.nn.ZeroPad3d.
class ZeroPad3d : public Layer<ZeroPad3d, ConstantPadBase> {
 public:
  explicit ZeroPad3d(const Shape& counts) : Layer(3, counts, 0.0) {}
  TAPER_DETAIL_BRACED_SIZES(ZeroPad3d)
  TAPER_LAYER(ZeroPad3d)
};

/// Pads an input `(N, C, W)` or `(C, W)` with its reflection at the border, without repeating the
/// border element. `padding` has 2 counts. PyTorch: torch.nn.ReflectionPad1d.
class ReflectionPad1d : public Layer<ReflectionPad1d, PadBase> {
 public:
  explicit ReflectionPad1d(const Shape& counts) : Layer(1, counts, "reflect") {}
  TAPER_DETAIL_BRACED_SIZES(ReflectionPad1d)
  TAPER_LAYER(ReflectionPad1d)
};

/// Pads an input `(N, C, H, W)` or `(C, H, W)` with its reflection at the border, without repeating
/// the border element. `padding` has 4 counts. PyTorch: torch.nn.ReflectionPad2d.
class ReflectionPad2d : public Layer<ReflectionPad2d, PadBase> {
 public:
  explicit ReflectionPad2d(const Shape& counts) : Layer(2, counts, "reflect") {}
  TAPER_DETAIL_BRACED_SIZES(ReflectionPad2d)
  TAPER_LAYER(ReflectionPad2d)
};

/// Pads an input `(N, C, D, H, W)` or `(C, D, H, W)` with its reflection at the border, without
/// repeating the border element. `padding` has 6 counts. PyTorch: torch.nn.ReflectionPad3d.
class ReflectionPad3d : public Layer<ReflectionPad3d, PadBase> {
 public:
  explicit ReflectionPad3d(const Shape& counts) : Layer(3, counts, "reflect") {}
  TAPER_DETAIL_BRACED_SIZES(ReflectionPad3d)
  TAPER_LAYER(ReflectionPad3d)
};

/// Pads an input `(N, C, W)` or `(C, W)` by replicating the border. `padding` has 2 counts.
/// PyTorch: torch.nn.ReplicationPad1d.
class ReplicationPad1d : public Layer<ReplicationPad1d, PadBase> {
 public:
  explicit ReplicationPad1d(const Shape& counts) : Layer(1, counts, "replicate") {}
  TAPER_DETAIL_BRACED_SIZES(ReplicationPad1d)
  TAPER_LAYER(ReplicationPad1d)
};

/// Pads an input `(N, C, H, W)` or `(C, H, W)` by replicating the border. `padding` has 4 counts.
/// PyTorch: torch.nn.ReplicationPad2d.
class ReplicationPad2d : public Layer<ReplicationPad2d, PadBase> {
 public:
  explicit ReplicationPad2d(const Shape& counts) : Layer(2, counts, "replicate") {}
  TAPER_DETAIL_BRACED_SIZES(ReplicationPad2d)
  TAPER_LAYER(ReplicationPad2d)
};

/// Pads an input `(N, C, D, H, W)` or `(C, D, H, W)` by replicating the border. `padding` has 6
/// counts. PyTorch: torch.nn.ReplicationPad3d.
class ReplicationPad3d : public Layer<ReplicationPad3d, PadBase> {
 public:
  explicit ReplicationPad3d(const Shape& counts) : Layer(3, counts, "replicate") {}
  TAPER_DETAIL_BRACED_SIZES(ReplicationPad3d)
  TAPER_LAYER(ReplicationPad3d)
};

}  // namespace nn
}  // namespace taper
