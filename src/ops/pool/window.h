// Windows of two-dimensional pooling: argument checks, output shapes and positions.
#pragma once
#include "cpu/pool/pool.h"
#include "ops/op.h"
#include "taper/ops/pool.h"

namespace taper::pool {

/// Attributes shared by all poolings: lists of one or two numbers.
struct Window {
  const Shape &kernel_size, &stride, &padding;
  Shape dilation{1};
  bool ceil_mode = false;
};

/// Sizes of the dimensions (N, C, H, W) of an input of 3 or 4 dimensions. N is 1 if missing.
struct Sizes {
  std::int64_t n = 1, c = 0, h = 0, w = 0;
  explicit Sizes(const Shape& s);
};

/// Calls f(n, c, i, j) for each position of an output. Does nothing if there is none: without that,
/// the other sizes may be too large for a loop.
template <class F>
void for_each_position(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, F&& f) {
  if (n == 0 || c == 0 || h == 0 || w == 0) return;
  for (std::int64_t batch = 0; batch < n; ++batch)
    for (std::int64_t channel = 0; channel < c; ++channel)
      for (std::int64_t i = 0; i < h; ++i)
        for (std::int64_t j = 0; j < w; ++j) f(batch, channel, i, j);
}

/// Returns the stride of a call: an absent or empty one is the kernel size.
Shape stride_or_kernel(const std::optional<Shape>& stride, const Shape& kernel_size);
/// Returns the output size of adaptive pooling over the last `dims` dimensions of an input, where
/// std::nullopt is replaced by the size of the input. Sizes are not checked.
Shape resolve_adaptive_size(const AdaptiveSize& size, const Shape& input, std::size_t dims);

/// Returns the number of windows along a dimension; not positive if none fits.
std::int64_t pooling_output_size(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t padding, std::int64_t dilation, bool ceil_mode);
/// Checks the arguments and returns the shape of the output. Throws ShapeError with PyTorch's
/// messages.
Shape result_shape(const ShapeInference& i, const Window& w);
/// Throws ShapeError unless `output` is the shape of the output for an input of shape `input`, with
/// or without ceil_mode.
void check_adjoint(const ShapeInference& i, const Window& w, const Shape& input,
                   const Shape& output);
/// Returns the kernel parameters for the shapes of an input and of the output of its pooling.
cpu::Pool2d make_pool_params(const Window& w, const Shape& input, const Shape& output);
/// Checks the arguments of adaptive pooling and returns the shape of the output.
Shape adaptive_shape(const ShapeInference& i, const Shape& output_size, bool allows_no_channels);
/// Returns the kernel parameters of adaptive pooling for the shapes of an input and of its output.
cpu::Pool2d make_adaptive_params(const Shape& input, const Shape& output);
/// Returns the physical layout in which the kernels of f32 compute `out` from `in`, or nullopt if
/// they do not support the dtype, the rank, the size of a plane or the layout of `out`.
std::optional<PhysicalLayout> kernel_layout(const View& in, const View& out);
/// Specifies one output of a given shape and dtype, in the physical layout of `like`.
void set_output_like(ShapeInference& i, const TensorImpl& like, const Shape& shape, DType dtype);

/// Computes the address of element (n, c, h, w) in a view of 3 or 4 dimensions.
struct ElementAddress {
  std::byte* data;
  std::int64_t n, c, h, w;
  explicit ElementAddress(const View& v);
  std::byte* operator()(std::int64_t in, std::int64_t ic, std::int64_t ih, std::int64_t iw) const {
    return data + in * n + ic * c + ih * h + iw * w;
  }
};

}  // namespace taper::pool
