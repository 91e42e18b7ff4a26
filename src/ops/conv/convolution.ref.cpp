// Convolution and its adjoints: y[n, o, i] += x[n, c, i * stride + k * dilation - padding] * w[o,
// c, k]. All three directions run this loop and differ in the operand that is written.
#include <algorithm>
#include <type_traits>

#include "ops/conv/transposed.h"
#include "ops/kernel/reference.h"

namespace taper {
namespace {

/// Computes the offset, in elements, of index [a, b, s...] in a view of 3 to 5 dimensions.
struct Offsets {
  std::int64_t step[5] = {};
  explicit Offsets(const View& v) {
    if (v.shape)
      for (std::size_t d = 0; d < v.shape->size(); ++d) step[d] = (*v.strides)[d];
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b, const std::int64_t (&s)[3]) const {
    return a * step[0] + b * step[1] + s[0] * step[2] + s[1] * step[3] + s[2] * step[4];
  }
};

/// Calls f(n, o, c within the group, input channel, position in x, position in the kernel, position
/// in y) for each product.
template <class F> void for_each_product(const cpu::ConvParams& c, F&& f) {
  const std::int64_t inner = c.in_channels / c.groups, outer = c.out_channels / c.groups;
  std::int64_t y[3], k[3], x[3];
  const auto visit_kernel = [&](std::int64_t n, std::int64_t o) {
    for (k[0] = 0; k[0] < c.kernel[0]; ++k[0])
      for (k[1] = 0; k[1] < c.kernel[1]; ++k[1])
        for (k[2] = 0; k[2] < c.kernel[2]; ++k[2]) {
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            x[d] = y[d] * c.stride[d] + k[d] * c.dilation[d] - c.padding[d];
            inside = inside && x[d] >= 0 && x[d] < c.input[d];
          }
          if (!inside) continue;
          for (std::int64_t i = 0; i < inner; ++i) f(n, o, i, o / outer * inner + i, x, k, y);
        }
  };
  // Without products, the other sizes may be too large for a loop.
  if (std::ranges::count(c.output, 0) != 0 || outer == 0 || inner == 0) return;
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t o = 0; o < c.out_channels; ++o)
      for (y[0] = 0; y[0] < c.output[0]; ++y[0])
        for (y[1] = 0; y[1] < c.output[1]; ++y[1])
          for (y[2] = 0; y[2] < c.output[2]; ++y[2]) visit_kernel(n, o);
}

template <ConvDirection C> void loop_over_indices(const Convolution<C>& op, const KernelArgs& k) {
  const ConvViews<C> v(k);
  const Shape& w_shape = C == ConvDirection::backward_weights ? op.input_size : *v.w.shape;
  const cpu::ConvParams c = op.make_params(*v.x.shape, w_shape, *v.y.shape);
  const View& out = k.out[0];
  if (!out.shape) return;
  const Shape row_major_strides = contiguous_strides(*out.shape);
  View output_view = out;
  output_view.strides = &row_major_strides;
  const Offsets px(C == ConvDirection::backward_data ? output_view : v.x),
      pw(C == ConvDirection::backward_weights ? output_view : v.w),
      py(C == ConvDirection::forward ? output_view : v.y);
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    // Integers wrap around, which is defined in C++ for unsigned types only.
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    std::vector<Sum> sums(static_cast<std::size_t>(out.numel));
    const auto load = [](const View& view, std::int64_t at) {
      return static_cast<Sum>(
          kernel::load<T>(view.data + at * kernel::element_size(view), view.dtype));
    };
    for_each_product(c, [&](std::int64_t n, std::int64_t o, std::int64_t i, std::int64_t channel,
                            const auto& x, const auto& kernel, const auto& y) {
      const std::int64_t xa = px(n, channel, x), wa = pw(o, i, kernel), ya = py(n, o, y);
      if constexpr (C == ConvDirection::forward)
        sums[static_cast<std::size_t>(ya)] += load(v.x, xa) * load(v.w, wa);
      else if constexpr (C == ConvDirection::backward_data)
        sums[static_cast<std::size_t>(xa)] += load(v.y, ya) * load(v.w, wa);
      else
        sums[static_cast<std::size_t>(wa)] += load(v.x, xa) * load(v.y, ya);
    });
    std::int64_t next = 0;
    kernel::walk(*out.shape, std::array<const View*, 1>{&out},
                 [&](const std::array<std::int64_t, 1>& at) {
                   Sum sum = sums[static_cast<std::size_t>(next)];
                   if (C != ConvDirection::backward_weights && k.has(2)) {
                     const std::int64_t o = next / row_major_strides[1] % (*out.shape)[1];
                     sum += load(k.in[2], o * (*k.in[2].strides)[0]);
                   }
                   ++next;
                   kernel::store(out.data + at[0], out.dtype, static_cast<T>(sum));
                 });
  });
}

/// Computes the gradient of the bias: sums of y over all dimensions except channels.
void sum_channels(const View& y, const View& out) {
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    std::vector<Sum> sums(static_cast<std::size_t>(out.numel));
    Shape strides = Shape::filled(y.shape->size(), 0);
    strides[1] = 1;
    const View channel{nullptr, y.shape, &strides, y.numel, DType::u8, nullptr};
    kernel::walk(*y.shape, std::array<const View*, 2>{&y, &channel},
                 [&](const std::array<std::int64_t, 2>& at) {
                   sums[static_cast<std::size_t>(at[1])] +=
                       static_cast<Sum>(kernel::load<T>(y.data + at[0], y.dtype));
                 });
    for (std::int64_t o = 0; o < out.numel; ++o)
      kernel::store(out.data + o * kernel::element_size(out), out.dtype,
                    static_cast<T>(sums[static_cast<std::size_t>(o)]));
  });
}

}  // namespace

template <> void reference_kernel(const ConvOutput& o, const KernelArgs& k) {
  loop_over_indices(o, k);
}
template <> void reference_kernel(const ConvInput& o, const KernelArgs& k) {
  loop_over_indices(o, k);
}
template <> void reference_kernel(const ConvTranspose& o, const KernelArgs& k) {
  loop_over_indices(o.adjoint(*k.out[0].shape), k);
}
template <> void reference_kernel(const ConvWeight& o, const KernelArgs& k) {
  loop_over_indices(o, k);
  if (k.out[1].shape) sum_channels(k.in[1], k.out[1]);
}

}  // namespace taper
