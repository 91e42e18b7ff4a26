// Windows of two-dimensional pooling: what they refuse, the shapes that follow, where they lie.
#pragma once
#include "backend/pool/pool.h"
#include "ops/op.h"

namespace taper::pool {

/// The attributes every pooling has; lists of one or two numbers.
struct Window {
  const Shape &kernel_size, &stride, &padding;
  Shape dilation{1};
  bool ceil_mode = false;
};

/// Sizes of the dimensions (N, C, H, W) of an input of 3 or 4 dimensions, N being 1 if missing.
struct Sizes {
  std::int64_t n = 1, c = 0, h = 0, w = 0;
  explicit Sizes(const Shape& s);
};

/// Refuses what cannot be pooled, in PyTorch's words, and gives the shape of the result.
Shape result_shape(const Infer& i, const Window& w);
/// The numbers the kernels work with.
backend::Pool2d geometry(const Window& w, const Shape& input, const Shape& output);
/// One output laid out as the tensor that decides, in a dtype.
void give_like(Infer& i, const TensorImpl& like, const Shape& shape, DType dtype);

/// The place of element (n, c, h, w) in a view of 3 or 4 dimensions, in bytes.
struct Place {
  std::byte* data;
  std::int64_t n, c, h, w;
  explicit Place(const View& v);
  std::byte* operator()(std::int64_t in, std::int64_t ic, std::int64_t ih, std::int64_t iw) const {
    return data + in * n + ic * c + ih * h + iw * w;
  }
};

}  // namespace taper::pool
