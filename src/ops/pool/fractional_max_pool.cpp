// Maxima of windows at pseudo-random positions, one dimension after the other.
#include "ops/autocast.h"
#include "ops/pool/functions.h"
#include "ops/pool/windows_nd.h"
#include "taper/core/factory.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

/// Elements of the windows of one dimension of all planes, `(planes, out, kernel)`. Intervals are
/// computed in the precision of the samples, as in PyTorch.
template <class T> Tensor window_elements(std::string_view op, const Tensor& samples,
                                          std::int64_t size, std::int64_t kernel,
                                          std::int64_t out) {
  const Tensor host = samples.cpu().to(dtype_of<T>).contiguous();
  const T* const sample = host.const_data_ptr<T>();
  const Tensor elements =
      empty({host.numel(), out, kernel}, {.dtype = DType::i64, .device = Device::cpu()});
  auto* to = elements.mutable_data_ptr<std::int64_t>();
  const T alpha = out > 1 ? static_cast<T>(size - kernel) / static_cast<T>(out - 1) : T(0);
  for (std::int64_t plane = 0; plane < host.numel(); ++plane) {
    const T s = sample[plane];
    if (!(std::abs(s) < T(1 << 20)))
      fail<ValueError>("{}: expected samples in [0, 1), got {}", op, s);
    const auto origin = static_cast<std::int64_t>(s * alpha);
    for (std::int64_t i = 0; i < out; ++i) {
      const std::int64_t begin =
          i + 1 < out ? static_cast<std::int64_t>((static_cast<T>(i) + s) * alpha) - origin
                      : size - kernel;
      // Samples beyond [0, 1) can move a window out of the input.
      if (begin < 0 || begin > size - kernel)
        fail<ValueError>("{}: expected samples in [0, 1), got {}", op, s);
      for (std::int64_t k = 0; k < kernel; ++k) *to++ = begin + k;
    }
  }
  return elements;
}

Shape output_sizes(std::string_view op, const Shape& in, std::size_t dims,
                   const std::optional<Shape>& output_size,
                   const std::optional<std::vector<double>>& output_ratio) {
  if (!output_size == !output_ratio)
    fail<ValueError>("{} requires specifying either an output_size or an output_ratio", op);
  if (output_size) return pool::for_dims(op, *output_size, dims, "output_size");
  const std::vector<double>& ratio = *output_ratio;
  if (ratio.size() != 1 && ratio.size() != dims)
    fail<ValueError>("{}: output_ratio must have {} numbers, got {}", op, dims, ratio.size());
  Shape sizes;
  for (std::size_t d = 0; d < dims; ++d) {
    const double r = ratio[ratio.size() == 1 ? 0 : d];
    if (!(r > 0 && r < 1))
      fail<ValueError>("{}: output_ratio must be between 0 and 1 (got {})", op, r);
    sizes.push_back(static_cast<std::int64_t>(static_cast<double>(in[d]) * r));
  }
  return sizes;
}

}  // namespace

std::pair<Tensor, Tensor> fractional_max_pool(
    std::string_view op, std::size_t dims, const Tensor& input, const Shape& kernel_size,
    const std::optional<Shape>& output_size, const std::optional<std::vector<double>>& output_ratio,
    const Tensor& random_samples) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, fractional_max_pool, op, dims, input, kernel_size,
                         output_size, output_ratio, random_samples);
  pool::check_pool_input(op, input, dims);
  if (!input.is_floating_point())
    fail<NotImplementedError>("{}: expected a floating-point tensor, got {}", op, input.dtype());
  Shape in;
  for (std::size_t d = 0; d < dims; ++d)
    in.push_back(input.shape()[input.shape().size() - dims + d]);
  const Shape kernel = pool::for_dims(op, kernel_size, dims, "kernel_size"),
              out = output_sizes(op, in, dims, output_size, output_ratio);
  for (std::size_t d = 0; d < dims; ++d)
    if (kernel[d] < 1 || out[d] < 1 || kernel[d] > in[d] || out[d] > in[d] - kernel[d] + 1)
      fail<ShapeError>("{}(): pool size {} too large relative to input size {} for output size {}",
                       op, kernel, in, out);
  return pool::with_batch(input, dims, [&](const Tensor& x) {
    const std::int64_t planes = x.size(0) * x.size(1);
    const Shape expected{x.size(0), x.size(1), static_cast<std::int64_t>(dims)};
    const Tensor samples = random_samples.defined()
                               ? random_samples.detach()
                               : rand(expected, {.dtype = x.dtype(), .device = x.device()});
    const Shape& given = samples.shape();
    if (given.size() != 3 || given[0] < expected[0] || given[1] != expected[1] ||
        given[2] != expected[2])
      fail<ShapeError>("{}: expected samples of shape {}, got {}", op, expected, given);
    Tensor values = x.flatten(0, 1), indices;
    std::int64_t step = 1;
    for (std::size_t d = dims; d-- > 0;) {
      // PyTorch's samples are in the order (W, H) and (D, H, W).
      const auto sample = static_cast<std::int64_t>(dims == 2 ? 1 - d : d);
      const Tensor of_dim = samples.narrow(0, 0, x.size(0)).flatten(0, 1).select(1, sample);
      const Tensor elements =
          (x.dtype() == DType::f64 ? window_elements<double>(op, of_dim, in[d], kernel[d], out[d])
                                   : window_elements<float>(op, of_dim, in[d], kernel[d], out[d]))
              .to(x.device());
      const auto dim = static_cast<std::int64_t>(d) + 1;
      Shape along = Shape::filled(dims + 1, 1), windows = values.shape();
      along[0] = planes, along[d + 1] = out[d] * kernel[d];
      windows[d + 1] = out[d] * kernel[d];
      const Tensor at = elements.reshape(along).expand(windows);
      const Shape split{out[d], kernel[d]};
      const auto [best, within] = values.gather(dim, at).unflatten(dim, split).max(dim + 1);
      const Tensor positions =
          at.unflatten(dim, split).gather(dim + 1, within.unsqueeze(dim + 1)).squeeze({dim + 1});
      indices = indices.defined() ? positions * step + indices.gather(dim, positions) : positions;
      step *= in[d];
      values = best;
    }
    Shape shape{x.size(0), x.size(1)};
    for (const std::int64_t n : out) shape.push_back(n);
    return std::pair(values.reshape(shape), indices.reshape(shape));
  });
}

}  // namespace taper
