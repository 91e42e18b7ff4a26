// Views of all elements: reshaped and permuted.
#pragma once
#include "ops/op.h"
#include "ops/view/geometry.h"
#include "ops/view/view_info.h"
#include "taper/core/tensor.h"

namespace taper {

struct View_ {
  Shape shape{};
  TAPER_ATTRIBUTES(shape)
  static constexpr OpInfo op = view::view_info("view", "ViewBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    const Shape sizes = view::infer_size(shape, t.numel, "view");
    const auto strides = view::compute_strides(t.shape, t.strides, sizes);
    if (!strides)
      i.fail(
          "view size is not compatible with input tensor's size and stride (at least one dimension "
          "spans across two contiguous subspaces). Use .reshape(...) instead. (got size {} and "
          "stride {}, expected size {})",
          t.shape, t.strides, sizes);
    i.set_view_output(sizes, *strides, t.offset);
  }
  void backward(BackwardContext<View_>& b) const { b[0] = b.grad().reshape(b.input_meta(0).shape); }
};

struct Permute {
  Shape dims{};
  TAPER_ATTRIBUTES(dims)
  static constexpr OpInfo op = view::view_info("permute", "PermuteBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    const std::size_t rank = t.shape.size();
    if (dims.size() != rank)
      i.fail(
          "number of dimensions in the tensor input does not match the length of the desired "
          "ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
          rank, dims.size());
    Shape shape = t.shape, strides = t.strides;
    std::vector<bool> seen(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      const auto from = static_cast<std::size_t>(wrap_dim(dims[d], rank, "permute"));
      if (seen[from]) i.fail<ValueError>("repeated dim in permute: got {}", dims);
      seen[from] = true;
      shape[d] = t.shape[from], strides[d] = t.strides[from];
    }
    i.set_view_output(shape, strides, t.offset);
  }
  void backward(BackwardContext<Permute>& b) const {
    Shape inverse = dims;
    for (std::size_t d = 0; d < dims.size(); ++d)
      inverse[static_cast<std::size_t>(wrap_dim(dims[d], dims.size(), "permute"))] =
          static_cast<std::int64_t>(d);
    b[0] = b.grad().permute(inverse);
  }
};

template <bool IsT> struct Transpose {
  std::int64_t dim0 = 0, dim1 = 1;
  TAPER_ATTRIBUTES(dim0, dim1)
  static constexpr OpInfo op =
      view::view_info(IsT ? "t" : "transpose", IsT ? "TBackward0" : "TransposeBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    const std::size_t rank = t.shape.size();
    Shape shape = t.shape, strides = t.strides;
    const auto a = static_cast<std::size_t>(wrap_dim(dim0, rank, op.function())),
               b = static_cast<std::size_t>(wrap_dim(dim1, rank, op.function()));
    if (rank > 0) std::swap(shape[a], shape[b]), std::swap(strides[a], strides[b]);
    i.set_view_output(shape, strides, t.offset);
  }
  void backward(BackwardContext<Transpose>& b) const {
    b[0] = IsT ? b.grad().t() : b.grad().transpose(dim0, dim1);
  }
};

struct Expand {
  Shape size{};
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op = view::view_info("expand", "ExpandBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    if (size.size() < t.shape.size())
      i.fail(
          "the number of sizes provided ({}) must be greater or equal to the number of dimensions "
          "in the tensor ({}): got {}, the tensor is {}",
          size.size(), t.shape.size(), size, t.shape);
    const std::size_t lead = size.size() - t.shape.size();
    Shape shape = size, strides = size;
    for (std::size_t d = 0; d < size.size(); ++d) {
      const std::int64_t old_size = d < lead ? 1 : t.shape[d - lead];
      if (size[d] == -1) {
        if (d < lead)
          i.fail(
              "the expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
              "dimension {}",
              d);
        shape[d] = old_size;
      } else if (size[d] < 0 || (old_size != 1 && size[d] != old_size)) {
        i.fail(
            "The expanded size of the tensor ({}) must match the existing size ({}) at "
            "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
            size[d], old_size, d, size, t.shape);
      }
      strides[d] = d < lead || (old_size == 1 && shape[d] != 1) ? 0 : t.strides[d - lead];
    }
    i.set_view_output(shape, strides, t.offset);
  }
  void backward(BackwardContext<Expand>& b) const {
    b[0] = b.grad();
  }  // the engine sums the gradient over expanded dimensions
};

struct Unsqueeze {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op = view::view_info("unsqueeze", "UnsqueezeBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    const auto at = static_cast<std::size_t>(wrap_dim(dim, t.shape.size() + 1, op.function()));
    Shape shape = t.shape, strides = t.strides;
    const std::int64_t step = at < shape.size() ? shape[at] * strides[at] : 1;
    shape.insert(at, 1), strides.insert(at, step);
    i.set_view_output(shape, strides, t.offset);
  }
  void backward(BackwardContext<Unsqueeze>& b) const {
    b[0] = b.grad().reshape(b.input_meta(0).shape);
  }
};

struct Squeeze {
  std::optional<Shape> dim{};  // absent: every dimension of size 1
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op = view::view_info("squeeze", "SqueezeBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    const std::size_t rank = t.shape.size();
    std::vector<bool> drop(rank, !dim);
    if (dim)
      for (std::int64_t d : *dim) {
        const auto at = static_cast<std::size_t>(wrap_dim(d, rank, op.function()));
        if (at >= rank) continue;
        if (drop[at]) i.fail<ValueError>("dim {} appears multiple times in the list of dims", at);
        drop[at] = true;
      }
    Shape shape, strides;
    for (std::size_t d = 0; d < rank; ++d)
      if (!drop[d] || t.shape[d] != 1) shape.push_back(t.shape[d]), strides.push_back(t.strides[d]);
    i.set_view_output(shape, strides, t.offset);
  }
  void backward(BackwardContext<Squeeze>& b) const {
    b[0] = b.grad().reshape(b.input_meta(0).shape);
  }
};

}  // namespace taper
