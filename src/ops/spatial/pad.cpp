#include "ops/spatial/pad.h"

#include <algorithm>
#include <vector>

#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/copy/fill.h"
#include "ops/kernel/dense.h"
#include "ops/spatial/functions.h"
#include "taper/core/tensor.h"
#include "taper/ops/pad.h"

namespace taper {
namespace {

/// Limit of sizes and counts, so that sums of three of them do not overflow.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 61;

/// Padding of one dimension.
struct Counts {
  std::int64_t before = 0, after = 0;
};
/// Returns the counts of dimension d of an input of `rank` dimensions.
Counts counts_of(const Shape& pad, std::size_t rank, std::size_t d) {
  const std::size_t k = 2 * (rank - 1 - d);
  return k + 1 < pad.size() ? Counts{pad[k], pad[k + 1]} : Counts{};
}

/// Returns the shape of the padded input.
Shape padded_shape(const ShapeInference& i, const Shape& x, const Shape& pad) {
  if (pad.size() % 2 != 0 || pad.size() > 2 * x.size())
    i.fail("Length of pad must be even and at most twice the number of dimensions: got {} for {}",
           pad, x);
  Shape y = x;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const auto [before, after] = counts_of(pad, x.size(), d);
    if (x[d] < 0 || std::max({x[d], before, after}) > kMaxCount ||
        std::min(before, after) < -kMaxCount || x[d] + before + after < 0)
      i.fail("The padding ({}, {}) does not fit dimension {} of the input {}", before, after, d, x);
    y[d] = x[d] + before + after;
  }
  return y;
}

/// These functions return the index in the input, of `size` elements, of the element that is copied
/// to position i of the padded dimension. Positions count from the first element of the input, so
/// that they are negative in the padding before it.
std::int64_t reflected(std::int64_t i, std::int64_t size) {
  return i < 0 ? -i : i < size ? i : 2 * (size - 1) - i;
}
std::int64_t replicated(std::int64_t i, std::int64_t size) {
  return i < 0 ? 0 : i < size ? i : size - 1;
}
std::int64_t wrapped(std::int64_t i, std::int64_t size) {
  return i < 0 ? i + size : i < size ? i : i - size;
}

using SourceFn = std::int64_t (*)(std::int64_t, std::int64_t);
SourceFn find_source(std::string_view mode) {
  return mode == "reflect"     ? reflected
         : mode == "replicate" ? replicated
         : mode == "circular"  ? wrapped
                               : nullptr;
}

/// Returns the shape of the input padded by its own elements.
Shape bordered_shape(const ShapeInference& i, const auto& o, const Shape& x) {
  const SourceFn source = find_source(o.mode);
  if (!source) i.fail<ValueError>("Unrecognised padding mode {}", o.mode);
  const Shape y = padded_shape(i, x, o.pad);
  for (std::size_t d = 0; d < x.size(); ++d) {
    const auto [before, after] = counts_of(o.pad, x.size(), d);
    if (before == 0 && after == 0) continue;
    // The mode fits if the sources of the first and of the last position are elements of the input.
    const bool fits = y[d] > 0 && x[d] > 0 && source(-before, x[d]) >= 0 &&
                      source(-before, x[d]) < x[d] && source(x[d] + after - 1, x[d]) >= 0 &&
                      source(x[d] + after - 1, x[d]) < x[d];
    if (!fits)
      i.fail("The padding ({}, {}) does not fit dimension {} of the input {} in mode {}", before,
             after, d, x, o.mode);
  }
  return y;
}

/// Indices in the input of the positions of one dimension of the output.
std::vector<std::int64_t> source_indices(const auto& o, const Shape& x, std::size_t d) {
  const auto [before, after] = counts_of(o.pad, x.size(), d);
  const SourceFn source = find_source(o.mode);
  std::vector<std::int64_t> from;
  for (std::int64_t i = -before; i < x[d] + after; ++i) from.push_back(source(i, x[d]));
  return from;
}

/// Calls f(start of the row of the input, row of the output) for all rows of the output, in
/// parallel over the positions of the dimensions that are not padded.
template <class F> void for_each_row(const auto& o, const Shape& x, const Shape& y, F&& f) {
  const std::size_t rank = x.size(), padded = std::max<std::size_t>(o.pad.size() / 2, 1);
  std::int64_t outer = 1, inner_rows = 1;
  std::vector<std::vector<std::int64_t>> from;  // of the padded dimensions but the last
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    if (d + padded < rank) {
      outer *= x[d];
    } else {
      from.push_back(source_indices(o, x, d));
      inner_rows *= y[d];
    }
  }
  std::int64_t in_rows = 1;
  for (std::size_t d = rank - padded; d + 1 < rank; ++d) in_rows *= x[d];
  std::vector<std::int64_t> sources{0};  // row of the input of each row within a plane
  for (std::size_t k = 0; k < from.size(); ++k) {
    std::vector<std::int64_t> rows;
    rows.reserve(sources.size() * from[k].size());
    for (const std::int64_t before : sources)
      for (const std::int64_t i : from[k]) rows.push_back(before * x[rank - padded + k] + i);
    sources = std::move(rows);
  }
  const std::int64_t cost = 1 + inner_rows * y[rank - 1];
  cpu::parallel_for(0, outer, 1 + 32768 / cost, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t plane = b; plane < e; ++plane)
      for (std::int64_t row = 0; row < inner_rows; ++row)
        f((plane * in_rows + sources[static_cast<std::size_t>(row)]) * x[rank - 1],
          (plane * inner_rows + row) * y[rank - 1]);
  });
}

/// Last dimension of padding: `count` elements from `first` on are copied to `place`, the others of
/// the output are in its borders.
struct Line {
  std::vector<std::int64_t> source;  ///< index in the input of each element of the output
  std::int64_t first = 0, place = 0, count = 0;

  Line(const auto& o, const Shape& x) : source(source_indices(o, x, x.size() - 1)) {
    const auto [before, after] = counts_of(o.pad, x.size(), x.size() - 1);
    first = std::max<std::int64_t>(-before, 0), place = std::max<std::int64_t>(before, 0);
    count = std::max<std::int64_t>(x[x.size() - 1] - first - std::max<std::int64_t>(-after, 0), 0);
    place = std::min(place, std::ssize(source)),
    count = std::min(count, std::ssize(source) - place);
  }
  /// Calls f(element of the output, element of the input) for the borders.
  template <class F> void for_each_border(F&& f) const {
    for (std::int64_t j = 0; j < place; ++j) f(j, source[static_cast<std::size_t>(j)]);
    for (std::int64_t j = place + count; j < std::ssize(source); ++j)
      f(j, source[static_cast<std::size_t>(j)]);
  }
};

}  // namespace

void ConstantPadNd::infer(ShapeInference& i) const {
  const Shape y = padded_shape(i, i.shape(0), pad);
  if (std::any_of(pad.begin(), pad.end(), [](std::int64_t count) { return count > 0; }))
    check_fill_value(i, value, i.dtype(0), y.numel());
  i.set_output(y, i.dtype(0));
}
void ConstantPadNd::backward(BackwardContext<ConstantPadNd>& b) const {
  Shape cropped;
  for (const std::int64_t count : pad) cropped.push_back(-count);
  b[0] = run(ConstantPadNd{cropped}, b.grad());
}

template <> void BorderPad::infer(ShapeInference& i) const {
  if (i.rank(0) == 0) i.fail("expected an input of at least one dimension");
  i.set_output(bordered_shape(i, *this, i.shape(0)), i.dtype(0));
}
template <> void BorderPad::backward(BackwardContext<BorderPad>& b) const {
  b[0] = run(BorderPadBackward{pad, mode, b.input_meta(0).shape}, b.grad());
}
template <> void BorderPadBackward::infer(ShapeInference& i) const {
  if (i.rank(0) == 0 || !(bordered_shape(i, *this, input_size) == i.shape(0)))
    i.fail("inconsistent shapes: got input {}, output {}", input_size, i.shape(0));
  i.set_output(input_size, i.dtype(0));
}
template <> void BorderPadBackward::backward(BackwardContext<BorderPadBackward>& b) const {
  b[0] = run(BorderPad{pad, mode}, b.grad());
}

template <> void reference_kernel(const ConstantPadNd& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  if (y.numel == 0) return;
  std::byte element[8] = {};
  kernel::store(element, y.dtype, o.value);
  const Shape zero_strides = Shape::filled(y.shape->size(), 0);
  View value = y;
  value.data = element, value.strides = &zero_strides;
  if (!kernel::copy_fast(y, value)) kernel::copy_elements(y, value);
  // The elements that remain of the input, and their place in the output.
  Shape common = *x.shape;
  View from = x, to = y;
  const std::size_t rank = common.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const auto [before, after] = counts_of(o.pad, rank, d);
    const std::int64_t first = std::max<std::int64_t>(-before, 0);
    common[d] = std::max<std::int64_t>(common[d] - first - std::max<std::int64_t>(-after, 0), 0);
    if (common[d] == 0) return;
    from.data += first * (*x.strides)[d] * kernel::element_size(x);
    to.data += std::max<std::int64_t>(before, 0) * (*y.strides)[d] * kernel::element_size(y);
  }
  from.shape = to.shape = &common;
  from.numel = to.numel = common.numel();
  if (!kernel::copy_fast(to, from)) kernel::copy_elements(to, from);
}

template <> void reference_kernel(const BorderPad& o, const KernelArgs& k) {
  const Shape &x = *k.in[0].shape, &y = *k.out[0].shape;
  if (k.out[0].numel == 0) return;
  const Line line(o, x);
  kernel::map_dense(
      k.in[0], k.out[0],
      [&]<class T>(const T* from, T* to) {
        for_each_row(o, x, y, [&](std::int64_t source, std::int64_t row) {
          std::copy_n(from + source + line.first, line.count, to + row + line.place);
          line.for_each_border(
              [&](std::int64_t j, std::int64_t i) { to[row + j] = from[source + i]; });
        });
      },
      kernel::DenseInitial::uninitialized);
}
template <> void reference_kernel(const BorderPadBackward& o, const KernelArgs& k) {
  const Shape &y = *k.in[0].shape, &x = *k.out[0].shape;
  kernel::map_dense(k.in[0], k.out[0], [&]<class T>(const T* grad, T* sums) {
    if (k.in[0].numel == 0) return;
    const Line line(o, x);
    for_each_row(o, x, y, [&](std::int64_t source, std::int64_t row) {
      T* const to = sums + source + line.first;
      const T* const from = grad + row + line.place;
      for (std::int64_t j = 0; j < line.count; ++j) to[j] += from[j];
      line.for_each_border(
          [&](std::int64_t j, std::int64_t i) { sums[source + i] += grad[row + j]; });
    });
  });
}

TAPER_DEFINE_OP(constant_pad_nd, ConstantPadNd);
TAPER_DEFINE_OP(border_pad, BorderPad);
TAPER_DEFINE_OP(border_pad_backward, BorderPadBackward);

Tensor constant_pad_nd(const Tensor& input, const Shape& pad, const Scalar& value) {
  return run(ConstantPadNd{pad, value}, input);
}
Tensor border_pad(const Tensor& input, const Shape& pad, const std::string& mode) {
  return run(BorderPad{pad, mode}, input);
}

}  // namespace taper
