// Views of a part of a tensor: select, slice, as_strided and its adjoint.
#pragma once
#include "ops/op.h"
#include "ops/view/view_info.h"
#include "taper/core/factory.h"

namespace taper {

struct Select {
  std::int64_t dim = 0, index = 0;
  TAPER_ATTRIBUTES(dim, index)
  static constexpr OpInfo op = view::view_info("select", "SelectBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    if (t.shape.empty()) i.fail<IndexError>("select() cannot be applied to a 0-dim tensor");
    const auto d = static_cast<std::size_t>(wrap_dim(dim, t.shape.size(), op.function()));
    const auto at = wrap_index(index, t.shape[d]);
    if (!at)
      i.fail<IndexError>("index {} is out of bounds for dimension {} with size {} (shape {})",
                         index, d, t.shape[d], t.shape);
    Shape shape = t.shape, strides = t.strides;
    shape.erase(d), strides.erase(d);
    i.set_view_output(shape, strides, t.offset + *at * t.strides[d]);
  }
  void backward(BackwardContext<Select>& b) const {
    const Tensor full_grad =
        zeros(b.input_meta(0).shape, {.dtype = b.grad().dtype(), .device = b.grad().device()});
    full_grad.select(dim, index).copy_(b.grad());
    b[0] = full_grad;
  }
  void add_input_grad(const Tensor& grad, Tensor& total) const {
    total.select(dim, index).add_(grad);
  }
};

struct SliceOp {
  std::int64_t dim = 0;
  std::optional<std::int64_t> start{}, end{};
  std::int64_t step = 1;
  TAPER_ATTRIBUTES(dim, start, end, step)
  static constexpr OpInfo op = view::view_info("slice", "SliceBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    if (t.shape.empty()) i.fail<IndexError>("slice() cannot be applied to a 0-dim tensor");
    if (step <= 0) i.fail<ValueError>("slice step must be positive: got {}", step);
    const auto d = static_cast<std::size_t>(wrap_dim(dim, t.shape.size(), op.function()));
    const std::int64_t n = t.shape[d];
    const std::int64_t from = clip_bound(start.value_or(0), n);
    const std::int64_t to = std::max(from, clip_bound(end.value_or(n), n));
    Shape shape = t.shape, strides = t.strides;
    shape[d] = from == to ? 0 : (to - from - 1) / step + 1;
    // If the product overflows, the slice has at most one element and its stride is not used.
    if (__builtin_mul_overflow(strides[d], step, &strides[d])) strides[d] = t.strides[d];
    i.set_view_output(shape, strides, t.offset + from * t.strides[d]);
  }
  void backward(BackwardContext<SliceOp>& b) const {
    const Tensor full_grad =
        zeros(b.input_meta(0).shape, {.dtype = b.grad().dtype(), .device = b.grad().device()});
    full_grad.slice(dim, start, end, step).copy_(b.grad());
    b[0] = full_grad;
  }
  void add_input_grad(const Tensor& grad, Tensor& total) const {
    total.slice(dim, start, end, step).add_(grad);
  }
};

/// Adjoint of as_strided: returns a vector of `extent` zeros to which each element of the input is
/// added at the position that a view with `stride` and `offset` reads.
struct ScatterStrided {
  Shape stride{};
  std::int64_t offset = 0, extent = 0;
  TAPER_ATTRIBUTES(stride, offset, extent)
  static constexpr OpInfo op{.name = "scatter_strided",
                             .node = "ScatterStridedBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const {
    const auto end = storage_extent(i.shape(0), stride, offset);
    if (!end || *end > extent)
      i.fail("sizes {}, strides {} and offset {} are out of bounds for {} elements", i.shape(0),
             stride, offset, extent);
    i.set_output({extent}, i.dtype(0));
  }
  void backward(BackwardContext<ScatterStrided>& b) const {
    b[0] = b.grad().as_strided(b.input_meta(0).shape, stride, offset);
  }
};

struct AsStrided {
  Shape size{}, stride{};
  std::optional<std::int64_t> storage_offset{};
  Shape input_stride{};  // geometry of the input, in which its gradient is stored
  std::int64_t input_offset = 0;
  TAPER_ATTRIBUTES(size, stride, storage_offset)
  static constexpr OpInfo op = view::view_info("as_strided", "AsStridedBackward0");
  void infer(ShapeInference& i) const {
    const TensorImpl& t = i.tensor(0);
    if (size.size() != stride.size())
      i.fail("mismatch in length of strides and shape: got {} and {}", stride, size);
    const std::int64_t offset = storage_offset.value_or(t.offset);
    bool empty = false;
    for (std::size_t d = 0; d < size.size(); ++d) {
      if (size[d] < 0 || stride[d] < 0 || offset < 0)
        i.fail<ValueError>(
            "negative sizes, strides and offsets are not supported: got size {}, stride {}, offset "
            "{}",
            size, stride, offset);
      empty |= size[d] == 0;
    }
    const auto available = static_cast<std::int64_t>(t.storage->bytes() / size_of(t.dtype));
    const auto extent = storage_extent(size, stride, offset);
    if (!extent || (!empty && *extent > available))
      i.fail(
          "setStorage: sizes {}, strides {}, storage offset {} are out of bounds for storage of {} "
          "elements",
          size, stride, offset, available);
    i.set_view_output(size, stride, offset);
  }
  void backward(BackwardContext<AsStrided>& b) const {
    const Shape& in = b.input_meta(0).shape;
    const std::int64_t view_offset = storage_offset.value_or(input_offset);
    const std::int64_t base = std::min(view_offset, input_offset);
    const std::int64_t extent = std::max(storage_extent(in, input_stride, input_offset).value_or(0),
                                         storage_extent(size, stride, view_offset).value_or(0)) -
                                base;
    const Tensor memory = run(ScatterStrided{stride, view_offset - base, extent}, b.grad());
    const bool is_whole =
        input_offset == base && extent == in.numel() && is_contiguous(in, input_stride);
    b[0] = is_whole ? memory.view(in)
                    : memory.as_strided(in, input_stride, input_offset - base).clone();
  }
};

}  // namespace taper
