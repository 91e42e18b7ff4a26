#include "ops/pool/avg_pool.h"

#include <algorithm>

#include "ops/check_defined.h"
#include "ops/kernel/reference.h"
#include "ops/pool/functions.h"
#include "taper/core/tensor.h"

namespace taper {

using pool::ElementAddress;

template <> void AvgPool2d::infer(ShapeInference& i) const {
  if (divisor_override == 0) i.fail<ValueError>("divisor must be not zero");
  pool::set_output_like(i, i.tensor(0), pool::result_shape(i, window()), i.dtype(0));
}
template <> void AvgPool2dBackward::infer(ShapeInference& i) const {
  if (divisor_override == 0) i.fail<ValueError>("divisor must be not zero");
  pool::check_adjoint(i, window(), input_size, i.shape(0));
  pool::set_output_like(i, i.tensor(0), input_size, i.dtype(0));
}

namespace {

/// Calls f(n, c, i, j, [h0, h1), [w0, w1), divisor) for the part of each window within the input.
template <class O, class F>
void for_each_window(const O& o, const Shape& x, const Shape& y, F&& f) {
  const cpu::Pool2d g = pool::make_pool_params(o.window(), x, y);
  pool::for_each_position(
      g.n, g.c, g.ho, g.wo, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
        const std::int64_t top = i * g.sh - g.ph, left = j * g.sw - g.pw;
        const std::int64_t h0 = std::max<std::int64_t>(top, 0), h1 = std::min(top + g.kh, g.h),
                           w0 = std::max<std::int64_t>(left, 0), w1 = std::min(left + g.kw, g.w);
        if (h1 <= h0 || w1 <= w0) return f(n, c, i, j, 0, 0, 0, 0, 1);
        // The divisor of a window that extends beyond the padding (ceil_mode) counts elements up
        // to the end of the padding.
        const std::int64_t padded =
            (std::min(top + g.kh, g.h + g.ph) - top) * (std::min(left + g.kw, g.w + g.pw) - left);
        const std::int64_t divisor = o.divisor_override    ? *o.divisor_override
                                     : o.count_include_pad ? padded
                                                           : (h1 - h0) * (w1 - w0);
        f(n, c, i, j, h0, h1, w0, w1, divisor);
      });
}

/// Calls f as for_each_window does, for the regions of adaptive pooling.
template <class F> void for_each_region(const Shape& x, const Shape& y, F&& f) {
  const pool::Sizes in(x), out(y);
  const auto end = [](std::int64_t i, std::int64_t size, std::int64_t parts) {
    return ((i + 1) * size + parts - 1) / parts;
  };
  pool::for_each_position(in.n, in.c, out.h, out.w,
                          [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
                            const std::int64_t h0 = i * in.h / out.h, h1 = end(i, in.h, out.h),
                                               w0 = j * in.w / out.w, w1 = end(j, in.w, out.w);
                            f(n, c, i, j, h0, h1, w0, w1, (h1 - h0) * (w1 - w0));
                          });
}

/// Returns the quotient; an integer that is out of range wraps around.
template <class T> T quotient(T sum, std::int64_t divisor) {
  if (std::is_integral_v<T> && divisor == -1) return kernel::minus(T{}, sum);
  return static_cast<T>(sum / static_cast<T>(divisor));
}

template <class Windows> void compute_means(const View& x, const View& y, Windows&& windows) {
  const ElementAddress from(x), to(y);
  kernel::in_compute_type(x.dtype, [&]<class T>(T) {
    windows([&](auto n, auto c, auto i, auto j, std::int64_t h0, std::int64_t h1, std::int64_t w0,
                std::int64_t w1, std::int64_t divisor) {
      T sum{};
      for (std::int64_t h = h0; h < h1; ++h)
        for (std::int64_t w = w0; w < w1; ++w)
          sum = kernel::plus(sum, kernel::load<T>(from(n, c, h, w), x.dtype));
      kernel::store(to(n, c, i, j), y.dtype, quotient(sum, divisor));
    });
  });
}

template <class Windows>
void distribute_gradient(const View& dy, const View& dx, Windows&& windows) {
  const ElementAddress from(dy);
  const pool::Sizes g(*dx.shape);
  kernel::in_compute_type(dx.dtype, [&]<class T>(T) {
    std::vector<T> sums(static_cast<std::size_t>(dx.numel));
    windows([&](std::int64_t n, std::int64_t c, auto i, auto j, std::int64_t h0, std::int64_t h1,
                std::int64_t w0, std::int64_t w1, std::int64_t divisor) {
      const T share = quotient(kernel::load<T>(from(n, c, i, j), dy.dtype), divisor);
      for (std::int64_t h = h0; h < h1; ++h)
        for (std::int64_t w = w0; w < w1; ++w) {
          T& total = sums[static_cast<std::size_t>(((n * g.c + c) * g.h + h) * g.w + w)];
          total = kernel::plus(total, share);
        }
    });
    std::size_t next = 0;
    kernel::walk(*dx.shape, std::array<const View*, 1>{&dx},
                 [&](const std::array<std::int64_t, 1>& offsets) {
                   kernel::store(dx.data + offsets[0], dx.dtype, sums[next++]);
                 });
  });
}

}  // namespace

template <> void reference_kernel(const AvgPool2d& o, const KernelArgs& k) {
  compute_means(k.in[0], k.out[0],
                [&](auto&& f) { for_each_window(o, *k.in[0].shape, *k.out[0].shape, f); });
}
template <> void reference_kernel(const AvgPool2dBackward& o, const KernelArgs& k) {
  distribute_gradient(k.in[0], k.out[0],
                      [&](auto&& f) { for_each_window(o, *k.out[0].shape, *k.in[0].shape, f); });
}
template <> void reference_kernel(const AdaptiveAvgPool2d&, const KernelArgs& k) {
  compute_means(k.in[0], k.out[0],
                [&](auto&& f) { for_each_region(*k.in[0].shape, *k.out[0].shape, f); });
}
template <> void reference_kernel(const AdaptiveAvgPool2dBackward&, const KernelArgs& k) {
  distribute_gradient(k.in[0], k.out[0],
                      [&](auto&& f) { for_each_region(*k.out[0].shape, *k.in[0].shape, f); });
}

template <> void AdaptiveAvgPool2d::infer(ShapeInference& i) const {
  pool::set_output_like(i, i.tensor(0), pool::adaptive_shape(i, output_size, true), i.dtype(0));
}
template <> void AdaptiveAvgPool2dBackward::infer(ShapeInference& i) const {
  const Shape& g = i.shape(0);
  const bool is_pooled = (g.size() == 3 || g.size() == 4) && output_size.size() == g.size() &&
                         std::equal(g.begin(), g.end() - 2, output_size.begin()) &&
                         output_size[g.size() - 2] > 0 && output_size[g.size() - 1] > 0;
  if (!is_pooled) i.fail("inconsistent shapes: got input {}, output {}", output_size, g);
  pool::set_output_like(i, i.tensor(0), output_size, i.dtype(0));
}

TAPER_DEFINE_OP(avg_pool2d, AvgPool2d);
TAPER_DEFINE_OP(avg_pool2d_backward, AvgPool2dBackward);
TAPER_DEFINE_OP(adaptive_avg_pool2d, AdaptiveAvgPool2d);
TAPER_DEFINE_OP(adaptive_avg_pool2d_backward, AdaptiveAvgPool2dBackward);

template <> void AvgPool2d::backward(BackwardContext<AvgPool2d>& b) const {
  b[0] = run(AvgPool2dBackward{kernel_size, stride, padding, ceil_mode, count_include_pad,
                               divisor_override, b.input_meta(0).shape},
             b.grad());
}
template <> void AvgPool2dBackward::backward(BackwardContext<AvgPool2dBackward>& b) const {
  b[0] =
      run(AvgPool2d{kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override},
          b.grad());
}
template <> void AdaptiveAvgPool2d::backward(BackwardContext<AdaptiveAvgPool2d>& b) const {
  b[0] = run(AdaptiveAvgPool2dBackward{b.input_meta(0).shape}, b.grad());
}
template <>
void AdaptiveAvgPool2dBackward::backward(BackwardContext<AdaptiveAvgPool2dBackward>& b) const {
  const Shape& s = b.input_meta(0).shape;
  b[0] = run(AdaptiveAvgPool2d{Shape{s[s.size() - 2], s[s.size() - 1]}}, b.grad());
}

Tensor avg_pool2d(const Tensor& x, const Shape& kernel_size, const std::optional<Shape>& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<std::int64_t> divisor_override) {
  return run(AvgPool2d{kernel_size, pool::stride_or_kernel(stride, kernel_size), padding, ceil_mode,
                       count_include_pad, divisor_override},
             x);
}
Tensor adaptive_avg_pool2d(const Tensor& x, const AdaptiveSize& output_size) {
  check_defined("adaptive_avg_pool2d", "input", x);
  return run(AdaptiveAvgPool2d{pool::resolve_adaptive_size(output_size, x.shape(), 2)}, x);
}

}  // namespace taper
