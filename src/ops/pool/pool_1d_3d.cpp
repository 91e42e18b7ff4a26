// Maxima and means of windows over one and three dimensions, computed by pooling over two: maxima
// and sums are separable.
#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/pool/functions.h"
#include "ops/pool/windows_nd.h"
#include "ops/promote.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using pool::Windows;

/// As pool::with_batch for three dimensions. Errors of `f` name `function`.
template <class F> auto on_volumes(std::string_view function, const Tensor& x, F&& f) {
  return named_call(function, [&] { return pool::with_batch(x, 3, f); });
}

/// Returns the options of max_pool2d for the windows of dimensions `h` and `w`; a dimension that is
/// not pooled is nullopt.
MaxPool2dFuncOptions max_options(const Windows& p, std::optional<std::size_t> h,
                                 std::optional<std::size_t> w) {
  const auto pair = [&](const Shape& list, std::int64_t neutral) {
    return Shape{h ? list[*h] : neutral, w ? list[*w] : neutral};
  };
  return {.stride = pair(p.stride, 1),
          .padding = pair(p.padding, 0),
          .dilation = pair(p.dilation, 1),
          .ceil_mode = p.ceil_mode};
}

/// Returns the sums of the windows of dimensions `h` and `w`, divided by `divisor`.
Tensor window_sums(const Tensor& x, const Windows& p, std::optional<std::size_t> h,
                   std::optional<std::size_t> w, std::int64_t divisor = 1) {
  const MaxPool2dFuncOptions o = max_options(p, h, w);
  return avg_pool2d(x, {h ? p.kernel[*h] : 1, w ? p.kernel[*w] : 1}, o.stride, o.padding,
                    o.ceil_mode, true, divisor);
}

/// Returns the number of elements of every window, or nullopt if windows differ.
std::optional<std::int64_t> common_count(const Windows& p, bool count_include_pad) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < p.out.size(); ++d) {
    const std::int64_t end = (p.out[d] - 1) * p.stride[d] - p.padding[d] + p.kernel[d];
    const bool is_padded = p.padding[d] > 0;
    if ((is_padded && !count_include_pad) || end > p.in[d] + p.padding[d]) return std::nullopt;
    count *= p.kernel[d];
  }
  return count;
}

Windows max_windows(std::string_view op, const Tensor& x, std::size_t dims, const Shape& kernel,
                    const MaxPool2dFuncOptions& o) {
  return {op, x, dims, kernel, o.stride, o.padding, o.dilation, o.ceil_mode};
}

/// Numbers of elements of the windows, as a tensor of the output sizes.
Tensor window_counts(const Windows& p, bool count_include_pad, DType dtype, Device device) {
  Tensor counts = ones({}, {.dtype = DType::i64});
  for (std::size_t d = 0; d < p.out.size(); ++d) {
    std::vector<std::int64_t> of_dim;
    for (std::int64_t i = 0; i < p.out[d]; ++i) {
      const std::int64_t begin = i * p.stride[d] - p.padding[d], end = begin + p.kernel[d];
      of_dim.push_back(count_include_pad
                           ? std::min(end, p.in[d] + p.padding[d]) - begin
                           : std::min(end, p.in[d]) - std::max<std::int64_t>(begin, 0));
    }
    counts = counts.unsqueeze(-1) * tensor(of_dim);
  }
  return counts.to(device, dtype);
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const Shape& kernel_size, const MaxPool1dFuncOptions& o) {
  const Windows p = max_windows("max_pool1d", x, 1, kernel_size, o);
  return named_call("max_pool1d", [&] {
    return max_pool2d(x.unsqueeze(-2), {1, p.kernel[0]}, max_options(p, {}, 0)).squeeze({-2});
  });
}

std::pair<Tensor, Tensor> max_pool1d_with_indices(const Tensor& x, const Shape& kernel_size,
                                                  const MaxPool1dFuncOptions& o) {
  const Windows p = max_windows("max_pool1d", x, 1, kernel_size, o);
  const auto [y, indices] = named_call("max_pool1d", [&] {
    return max_pool2d_with_indices(x.unsqueeze(-2), {1, p.kernel[0]}, max_options(p, {}, 0));
  });
  return {y.squeeze({-2}), indices.squeeze({-2})};
}

Tensor max_pool3d(const Tensor& input, const Shape& kernel_size, const MaxPool3dFuncOptions& o) {
  if (tls.autocast) {
    const auto call = [](const auto&... arguments) { return max_pool3d(arguments...); };
    return autocast_call(AutocastPolicy::f32, call, input, kernel_size, o);
  }
  const Windows p = max_windows("max_pool3d", input, 3, kernel_size, o);
  return on_volumes("max_pool3d", input, [&](const Tensor& x) {
    const Tensor planes =
        max_pool2d(x.flatten(1, 2), {p.kernel[1], p.kernel[2]}, max_options(p, 1, 2));
    const Tensor lines = planes.reshape({x.size(0), x.size(1), p.in[0], p.out[1] * p.out[2]});
    return max_pool2d(lines, {p.kernel[0], 1}, max_options(p, 0, {}))
        .reshape({x.size(0), x.size(1), p.out[0], p.out[1], p.out[2]});
  });
}

std::pair<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                  const MaxPool3dFuncOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, max_pool3d_with_indices, input, kernel_size, o);
  const Windows p = max_windows("max_pool3d", input, 3, kernel_size, o);
  return on_volumes("max_pool3d", input, [&](const Tensor& x) {
    const std::int64_t positions = p.out[1] * p.out[2];
    const Shape lines{x.size(0), x.size(1), p.in[0], positions};
    const auto [planes, in_plane] =
        max_pool2d_with_indices(x.flatten(1, 2), {p.kernel[1], p.kernel[2]}, max_options(p, 1, 2));
    const auto [y, in_line] =
        max_pool2d_with_indices(planes.reshape(lines), {p.kernel[0], 1}, max_options(p, 0, {}));
    const Tensor depth = in_line.div(positions, "floor");
    const Tensor indices = depth * (p.in[1] * p.in[2]) + in_plane.reshape(lines).gather(2, depth);
    const Shape shape{x.size(0), x.size(1), p.out[0], p.out[1], p.out[2]};
    return std::pair(y.reshape(shape), indices.reshape(shape));
  });
}

Tensor avg_pool1d(const Tensor& x, const Shape& kernel_size, const AvgPool1dFuncOptions& o) {
  const Windows p("avg_pool1d", x, 1, kernel_size, o.stride, o.padding, {1}, o.ceil_mode);
  return named_call("avg_pool1d", [&] {
    return avg_pool2d(x.unsqueeze(-2), {1, p.kernel[0]}, Shape{1, p.stride[0]}, {0, p.padding[0]},
                      o.ceil_mode, o.count_include_pad, {})
        .squeeze({-2});
  });
}

Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size, const std::optional<Shape>& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<std::int64_t> divisor_override) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, avg_pool3d, input, kernel_size, stride, padding,
                         ceil_mode, count_include_pad, divisor_override);
  if (divisor_override == 0) fail<ValueError>("avg_pool3d: divisor must be not zero");
  const Windows p("avg_pool3d", input, 3, kernel_size, stride, padding, {1}, ceil_mode);
  // As in PyTorch, also if padding would make the image large enough, unlike in other pools.
  if (p.in[0] < p.kernel[0] || p.in[1] < p.kernel[1] || p.in[2] < p.kernel[2])
    fail<ShapeError>("avg_pool3d: input image {} smaller than kernel size {}", p.in, p.kernel);
  return on_volumes("avg_pool3d", input, [&](const Tensor& x) {
    const Tensor planes = window_sums(x.to(opmath_dtype(x.dtype())).flatten(1, 2), p, 1, 2);
    const Tensor lines = planes.reshape({x.size(0), x.size(1), p.in[0], p.out[1] * p.out[2]});
    const Shape shape{x.size(0), x.size(1), p.out[0], p.out[1], p.out[2]};
    const auto divisor = divisor_override ? divisor_override : common_count(p, count_include_pad);
    if (divisor) return window_sums(lines, p, 0, {}, *divisor).reshape(shape).to(x.dtype());
    const Tensor sums = window_sums(lines, p, 0, {}).reshape(shape);
    const Tensor counts = window_counts(p, count_include_pad, sums.dtype(), x.device());
    const Tensor means = x.is_floating_point() ? sums / counts : sums.div(counts, "trunc");
    return means.to(x.dtype());
  });
}

}  // namespace taper
