#include "ops/spatial/interpolate.h"

#include <cmath>
#include <numeric>

#include "ops/kernel/channels_last.h"
#include "ops/kernel/dense.h"
#include "ops/spatial/functions.h"
#include "ops/spatial/resample_kernel.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

using resample::Filter;
using resample::Taps;

/// Returns all sizes but the first two.
Shape spatial_sizes(const Shape& shape) {
  Shape out;
  for (std::size_t d = 2; d < shape.size(); ++d) out.push_back(shape[d]);
  return out;
}

/// Rejects a mode that does not support the input, and unusable sizes.
void check_request(const ShapeInference& i, const auto& o, const Shape& x) {
  const auto filter = resample::find_filter(o.mode);
  if (x.size() < 3 || x.size() > 5)
    i.fail<NotImplementedError>("Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D)",
                                x.size());
  if (!filter) i.fail<NotImplementedError>("unsupported mode '{}'", o.mode);
  const std::size_t rank = o.mode == "linear"                                      ? 3
                           : o.mode == "trilinear"                                 ? 5
                           : *filter == Filter::linear || *filter >= Filter::cubic ? 4
                                                                                   : x.size();
  if (rank != x.size())
    i.fail<NotImplementedError>("Got {}D input, but {} mode needs {}D input", x.size(), o.mode,
                                rank);
  if (o.antialias ? x.size() != 4 || *filter < Filter::linear : *filter == Filter::lanczos)
    i.fail<ValueError>(
        "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a "
        "4-D tensor as input");
  if (i.dtype(0) == DType::u8 &&
      (*filter == Filter::area || (*filter >= Filter::linear && x.size() != 4)))
    i.reject_dtype(i.dtype(0));
}

/// Resampling by area, which is adaptive pooling, supports outputs without elements and inputs
/// without channels.
Shape resampled_shape(const ShapeInference& i, const Shape& x, const Shape& size,
                      const std::string& mode) {
  if (size.size() != x.size() - 2)
    i.fail("It is expected output_size equals to {}, but got size {}", x.size() - 2, size.size());
  Shape y{x[0], x[1]};
  for (std::size_t d = 2; d < x.size(); ++d) {
    y.push_back(size[d - 2]);
    if (x[d] < 1 || size[d - 2] < (mode == "area" ? 0 : 1))
      i.fail("Input and output sizes should be greater than 0, but got input ({}) and output ({})",
             x, size);
  }
  if (x[1] < 1 && mode != "area")
    i.fail("Non-empty {}D data tensor expected but got a tensor with sizes {}", x.size(), x);
  return y;
}

/// Sizes of the input and the output in the order in which their elements are stored. Dimension d
/// of the op is dimension d - `shift` of these.
struct StoredSizes {
  Shape in, out;
  std::size_t shift = 0;

  StoredSizes(const Shape& x, const Shape& y, PhysicalLayout layout) : in(x), out(y) {
    if (layout == PhysicalLayout::row_major) return;
    shift = 1;
    for (Shape* s : {&in, &out}) {
      const std::int64_t channels = (*s)[1];
      for (std::size_t d = 1; d + 1 < s->size(); ++d) (*s)[d] = (*s)[d + 1];
      (*s)[s->size() - 1] = channels;
    }
  }
};

/// Resamples along all dimensions, one after the other.
template <bool Back, class T> void resample_all(const InterpolateOf<Back>& o, DType dtype,
                                                const Shape& x, const Shape& y,
                                                PhysicalLayout layout, const T* from, T* to) {
  const std::size_t dims = x.size() - 2;
  std::vector<std::size_t> order(dims);
  std::iota(order.begin(), order.end(), std::size_t{2});
  const auto growth = [&](std::size_t d) {
    return static_cast<double>(y[d]) / static_cast<double>(x[d]);
  };
  // Shrinking dimensions first, so that no intermediate result exceeds both input and output.
  // Results of u8, which are rounded after each dimension, depend on the order.
  if (dtype == DType::u8)
    std::reverse(order.begin(), order.end());
  else
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return growth(a) < growth(b); });
  const StoredSizes stored(x, y, layout);
  Shape shape = stored.in;
  std::unique_ptr<T[]> before, after;
  for (std::size_t step = 0; step < dims; ++step) {
    const std::size_t d = order[step], at = d - stored.shift;
    resample::Request request = resample_request(o, d, x, y);
    if (Back) std::swap(request.in, request.out);
    const bool rounds = dtype == DType::u8 && request.filter >= Filter::linear;
    Taps taps = dtype == DType::f64 || rounds ? resample::make_taps<double>(request)
                                              : resample::make_taps<float>(request);
    if (Back) taps = resample::transpose(taps, request.in);
    const int bits = rounds ? resample::quantize(taps) : 0;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t e = 0; e < at; ++e) outer *= shape[e];
    for (std::size_t e = at + 1; e < x.size(); ++e) inner *= shape[e];
    T* result = to;
    if (step + 1 < dims) {
      after = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(outer * y[d] * inner));
      result = after.get();
    }
    resample::resample_dim(taps, outer, shape[at], inner, step == 0 ? from : before.get(), result);
    shape[at] = y[d];
    if (rounds)
      for (std::int64_t e = 0; e < outer * y[d] * inner; ++e) {
        const auto sum = static_cast<std::int64_t>(result[e]) + (bits ? 1 << (bits - 1) : 0);
        result[e] = static_cast<T>(std::clamp<std::int64_t>(sum >> bits, 0, 255));
      }
    before = std::move(after);
  }
}

template <bool Back> void run_resampling(const InterpolateOf<Back>& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  if (out.numel == 0) return;
  if (in.numel == 0) return kernel::map_dense(in, out, [](const auto*, auto*) {});  // zeros
  if (in.dtype == DType::f32 && !is_contiguous(in) && kernel::is_dense_channels_last(in) &&
      kernel::is_dense_channels_last(out))
    return resample_all(o, out.dtype, *in.shape, *out.shape, PhysicalLayout::channels_last,
                        reinterpret_cast<const float*>(in.data),
                        reinterpret_cast<float*>(out.data));
  kernel::map_dense(
      in, out,
      [&]<class T>(const T* from, T* to) {
        resample_all(o, out.dtype, *in.shape, *out.shape, PhysicalLayout::row_major, from, to);
      },
      kernel::DenseInitial::uninitialized);
}

}  // namespace

template <> void Interpolate::infer(ShapeInference& i) const {
  const Shape& x = i.shape(0);
  check_request(i, *this, x);
  i.outs[0].channels_last = x.size() == 4 && kernel::suggests_channels_last(i.tensor(0));
  i.set_output(resampled_shape(i, x, output_size, mode), i.dtype(0));
}
template <> void InterpolateBackward::infer(ShapeInference& i) const {
  const Shape& y = i.shape(0);
  check_request(i, *this, y);
  if (output_size.size() != y.size() || output_size[0] != y[0] || output_size[1] != y[1])
    i.fail("inconsistent shapes: got input {}, output {}", output_size, y);
  resampled_shape(i, output_size, spatial_sizes(y), mode);
  i.outs[0].channels_last = y.size() == 4 && kernel::suggests_channels_last(i.tensor(0));
  i.set_output(output_size, i.dtype(0));
}

template <> void reference_kernel(const Interpolate& o, const KernelArgs& k) {
  run_resampling(o, k);
}
template <> void reference_kernel(const InterpolateBackward& o, const KernelArgs& k) {
  run_resampling(o, k);
}

template <> void Interpolate::backward(BackwardContext<Interpolate>& b) const {
  b[0] = run(InterpolateBackward{b.input_meta(0).shape, mode, align_corners, antialias, scales_d,
                                 scales_h, scales_w},
             b.grad());
}
template <> void InterpolateBackward::backward(BackwardContext<InterpolateBackward>& b) const {
  const Shape& y = b.input_meta(0).shape;
  b[0] = run(
      Interpolate{spatial_sizes(y), mode, align_corners, antialias, scales_d, scales_h, scales_w},
      b.grad());
}

TAPER_DEFINE_OP(interpolate, Interpolate);
TAPER_DEFINE_OP(interpolate_backward, InterpolateBackward);

Tensor interpolate_to(const Tensor& x, const Shape& output_size, const std::string& mode,
                      bool align_corners, bool antialias, const std::vector<double>& factors) {
  Interpolate op{output_size, mode, align_corners, antialias};
  std::optional<double>* const scales[] = {&op.scales_d, &op.scales_h, &op.scales_w};
  for (std::size_t d = 0; d < factors.size(); ++d) *scales[3 - factors.size() + d] = factors[d];
  return run(op, x);
}

}  // namespace taper
