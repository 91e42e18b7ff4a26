#include "ops/spatial/im2col.h"

#include "cpu/threads.h"
#include "ops/kernel/dense.h"
#include "ops/spatial/functions.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Limit of the sizes of an image and of the arguments, so that the extent of a block in pixels and
/// the number of its elements do not overflow.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 31;

std::int64_t checked_product(const ShapeInference& i, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    i.fail("the sliding blocks are too large: got a size of {} * {}", a, b);
  return product;
}

/// Number of block positions along one dimension; not positive if no block fits.
std::int64_t count_positions(const auto& o, std::size_t d, std::int64_t size) {
  const std::int64_t available =
      size + 2 * o.padding[d] - o.dilation[d] * (o.kernel_size[d] - 1) - 1;
  return available < 0 ? 0 : available / o.stride[d] + 1;
}

void check_arguments(const ShapeInference& i, const auto& o) {
  const auto check = [&](const Shape& list, std::string_view name, std::int64_t min) {
    if (list.size() != 2)
      i.fail("It is expected {} equals to 2, but got size {}", name, list.size());
    for (const std::int64_t one : list)
      if (one < min)
        i.fail("{} should be {}, but got {}", name, min ? "greater than zero" : "non-negative",
               list);
    for (const std::int64_t one : list)
      if (one > kMaxSize) i.fail("{} is too large: got {}", name, list);
  };
  check(o.kernel_size, "kernel_size", 1);
  check(o.dilation, "dilation", 1);
  check(o.padding, "padding", 0);
  check(o.stride, "stride", 1);
}

std::string sliding_arguments(const auto& o) {
  return format_message("kernel_size={}, dilation={}, padding={}, stride={}", o.kernel_size,
                        o.dilation, o.padding, o.stride);
}

/// Copies between an image of `planes` planes of h x w elements and its columns. `Back` adds
/// columns to the image instead.
template <bool Back, class T> void move_blocks(const Im2ColOf<Back>& o, std::int64_t planes,
                                               std::int64_t h, std::int64_t w, const T* from,
                                               T* to) {
  const std::int64_t kh = o.kernel_size[0], kw = o.kernel_size[1];
  const std::int64_t rows = count_positions(o, 0, h), columns = count_positions(o, 1, w);
  const std::int64_t plane_columns = kh * kw * rows * columns;
  const auto move_plane = [&](std::int64_t plane) {
    std::int64_t at = plane * plane_columns;
    for (std::int64_t u = 0; u < kh; ++u)
      for (std::int64_t v = 0; v < kw; ++v)
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t y = i * o.stride[0] - o.padding[0] + u * o.dilation[0];
          if (y < 0 || y >= h) {
            at += columns;
            continue;
          }
          const std::int64_t row = (plane * h + y) * w;
          for (std::int64_t j = 0; j < columns; ++j, ++at) {
            const std::int64_t x = j * o.stride[1] - o.padding[1] + v * o.dilation[1];
            if (x < 0 || x >= w) continue;
            if constexpr (Back)
              to[row + x] += from[at];
            else
              to[at] = from[row + x];
          }
        }
  };
  cpu::parallel_for(0, planes, 1 + 32768 / (1 + plane_columns),
                    [&](std::int64_t b, std::int64_t e) {
                      for (std::int64_t plane = b; plane < e; ++plane) move_plane(plane);
                    });
}

/// Returns the product of all sizes but the last two.
std::int64_t count_planes(const Shape& image) {
  return image.size() == 4 ? image[0] * image[1] : image[0];
}

}  // namespace

template <> void Im2Col::infer(ShapeInference& i) const {
  check_arguments(i, *this);
  const Shape& x = i.shape(0);
  const std::size_t r = x.size();
  if ((r != 3 && r != 4) || std::find(x.begin() + (r == 4), x.end(), 0) != x.end())
    i.fail(
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
        "dimensions for input, but got: {}",
        x);
  if (x[r - 2] > kMaxSize || x[r - 1] > kMaxSize) i.fail("the image is too large: got {}", x);
  const std::int64_t rows = count_positions(*this, 0, x[r - 2]),
                     columns = count_positions(*this, 1, x[r - 1]);
  if (rows < 1 || columns < 1)
    i.fail(
        "Given input with spatial size ({}, {}), {}, calculated shape of the array of sliding "
        "blocks as ({}, {}), but its components must be at least one.",
        x[r - 2], x[r - 1], sliding_arguments(*this), rows, columns);
  Shape y{checked_product(i, x[r - 3], kernel_size[0] * kernel_size[1]),
          checked_product(i, rows, columns)};
  if (r == 4) y = {x[0], y[0], y[1]};
  i.set_output(y, i.dtype(0));
}

template <> void Col2Im::infer(ShapeInference& i) const {
  check_arguments(i, *this);
  if (output_size.size() != 2)
    i.fail("It is expected output_size equals to 2, but got size {}", output_size.size());
  if (output_size[0] < 1 || output_size[1] < 1)
    i.fail("output_size should be greater than zero, but got {}", output_size);
  if (output_size[0] > kMaxSize || output_size[1] > kMaxSize)
    i.fail("output_size is too large: got {}", output_size);
  const Shape& x = i.shape(0);
  const std::size_t r = x.size();
  if ((r != 2 && r != 3) || std::find(x.begin() + (r == 3), x.end(), 0) != x.end())
    i.fail(
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
        "dimensions for input, but got: {}",
        x);
  const std::int64_t block = kernel_size[0] * kernel_size[1];
  if (x[r - 2] % block != 0)
    i.fail(
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
        "got input.size(1)={} and kernel_size={}",
        x[r - 2], kernel_size);
  const std::int64_t rows = count_positions(*this, 0, output_size[0]),
                     columns = count_positions(*this, 1, output_size[1]);
  if (rows < 1 || columns < 1 || checked_product(i, rows, columns) != x[r - 1])
    i.fail(
        "Given output_size={}, {}, expected size of input's dimension 2 to match the calculated "
        "number of sliding blocks {} * {} = {}, but got input.size(2)={}",
        output_size, sliding_arguments(*this), rows, columns, rows * columns, x[r - 1]);
  Shape y{x[r - 2] / block, output_size[0], output_size[1]};
  if (r == 3) y = {x[0], y[0], y[1], y[2]};
  i.set_output(y, i.dtype(0));
}

template <> void reference_kernel(const Im2Col& o, const KernelArgs& k) {
  const Shape& image = *k.in[0].shape;
  kernel::map_dense(k.in[0], k.out[0], [&]<class T>(const T* from, T* to) {
    move_blocks(o, count_planes(image), image[image.size() - 2], image.back(), from, to);
  });
}
template <> void reference_kernel(const Col2Im& o, const KernelArgs& k) {
  const Shape& image = *k.out[0].shape;
  kernel::map_dense(k.in[0], k.out[0], [&]<class T>(const T* from, T* to) {
    move_blocks(o, count_planes(image), image[image.size() - 2], image.back(), from, to);
  });
}

template <> void Im2Col::backward(BackwardContext<Im2Col>& b) const {
  const Shape& x = b.input_meta(0).shape;
  b[0] = run(Col2Im{{x[x.size() - 2], x.back()}, kernel_size, dilation, padding, stride}, b.grad());
}
template <> void Col2Im::backward(BackwardContext<Col2Im>& b) const {
  b[0] = run(Im2Col{{}, kernel_size, dilation, padding, stride}, b.grad());
}

TAPER_DEFINE_OP(im2col, Im2Col);
TAPER_DEFINE_OP(col2im, Col2Im);

namespace {
Shape pair_of(const Shape& list) { return list.size() == 1 ? Shape{list[0], list[0]} : list; }
}  // namespace

Tensor im2col(const Tensor& input, const Shape& kernel_size, const Shape& dilation,
              const Shape& padding, const Shape& stride) {
  return run(Im2Col{{}, pair_of(kernel_size), pair_of(dilation), pair_of(padding), pair_of(stride)},
             input);
}
Tensor col2im(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
              const Shape& dilation, const Shape& padding, const Shape& stride) {
  return run(Col2Im{pair_of(output_size), pair_of(kernel_size), pair_of(dilation), pair_of(padding),
                    pair_of(stride)},
             input);
}

}  // namespace taper
