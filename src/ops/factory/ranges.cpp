// Factories defined by a formula: arange, linspace, eye.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/number_range.h"
#include "ops/factory/make.h"
#include "ops/factory/progressions.h"
#include "ops/kernel/element.h"
#include "ops/promote.h"

namespace taper {
namespace {

void check_dtype_implemented(std::string_view op, DType dtype) {
  if (is_barebones_unsigned(dtype))
    fail<NotImplementedError>("{}: not implemented for '{}'", op, names_of(dtype).scalar);
}

}  // namespace

Tensor factory::apply_options(Tensor host, const TensorOptions& options) {
  const Device device = options.device.value_or(get_default_device());
  if (device != host.device()) host = host.to(device);
  if (options.requires_grad) host.set_requires_grad();
  return host;
}

Tensor arange(const Scalar& end, const TensorOptions& options) {
  return arange(0, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
  const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  const DType dtype = options.dtype.value_or(floating ? default_dtype() : DType::i64);
  if (dtype == DType::bool_) fail<DTypeError>("arange: got dtype bool, expected a number type");
  check_dtype_implemented("arange", dtype);
  const double from = start.to_double(), to = end.to_double(), by = step.to_double();
  if (!std::isfinite(by)) fail<ValueError>("arange: step must be finite but got {}", step);
  if (by == 0) fail<ValueError>("arange: step must be nonzero");
  if (!std::isfinite(from) || !std::isfinite(to))
    fail<ValueError>("arange: unsupported range: {} -> {}", start, end);
  if (!(by > 0 ? from <= to : from >= to))
    fail<ValueError>(
        "arange: upper bound and lower bound inconsistent with step sign: got {} to {} by {}",
        start, end, step);
  const bool integral = !is_floating_point(dtype);
  const DType computed = integral                           ? DType::i64
                         : is_reduced_floating_point(dtype) ? DType::f32
                                                            : DType::f64;
  for (const Scalar* number : {&start, &end, &step}) check_in_range(*number, computed, "arange");
  double count = std::ceil((to - from) / by);
  if (!floating) {  // differences of large integers are exact only in integer arithmetic
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(end.to_int(), start.to_int(), &difference))
      count = 0x1p64;
    else
      count = std::ceil(static_cast<double>(difference) / by);
  }
  if (!(count < 0x1p63)) fail<ValueError>("arange: too many elements: got {} to {}", start, end);
  const std::int64_t first = integral ? start.to_int() : 0, stride = integral ? step.to_int() : 0;
  if (dtype == DType::f32)
    return factory::make_from_ranges(static_cast<std::int64_t>(count), dtype, options,
                                     [=](std::byte* data, std::int64_t begin, std::int64_t end) {
                                       factory::arange_f32(reinterpret_cast<float*>(data), begin,
                                                           end, from, by);
                                     });
  if (dtype == DType::i64)
    return factory::make_from_ranges(static_cast<std::int64_t>(count), dtype, options,
                                     [=](std::byte* data, std::int64_t begin, std::int64_t end) {
                                       // Sums instead of products, which vectorize. Unsigned
                                       // arithmetic wraps around.
                                       const auto by_one = static_cast<std::uint64_t>(stride);
                                       auto value = static_cast<std::uint64_t>(first) +
                                                    by_one * static_cast<std::uint64_t>(begin);
                                       auto* const to = reinterpret_cast<std::uint64_t*>(data);
                                       for (std::int64_t i = begin; i < end; ++i, value += by_one)
                                         to[i] = value;
                                     });
  return factory::make_from_function(
      static_cast<std::int64_t>(count), dtype, options, [=](std::int64_t i, auto type) {
        using T = decltype(type);
        if constexpr (std::is_integral_v<T>)
          return element_cast<T>(kernel::plus(first, kernel::times(stride, i)));
        else
          return element_cast<T>(from + by * static_cast<double>(i));
      });
}

namespace {

/// Throws RuntimeError unless `dtype` can represent the bounds. A whole number is an integer: a
/// negative one wraps around in unsigned types. In PyTorch, a single 16-bit float becomes infinite
/// instead.
void check_bounds(std::string_view op, double start, double end, std::int64_t steps, DType dtype) {
  const auto check = [&](double bound) {
    const bool whole = std::trunc(bound) == bound && is_in_range(bound, DType::i64);
    check_in_range(whole ? Scalar(static_cast<std::int64_t>(bound)) : Scalar(bound), dtype, op);
  };
  if (steps > 1 || (steps == 1 && !is_reduced_floating_point(dtype))) check(start);
  if (steps > 1) check(end);
}

/// Returns value(x) for `steps` evenly spaced numbers x from `start` to `end`, inclusive.
template <class F> Tensor evenly_spaced(std::string_view op, double start, double end,
                                        std::int64_t steps, const TensorOptions& options,
                                        F&& value) {
  const DType dtype = options.dtype.value_or(default_dtype());
  if (steps < 0) fail<ValueError>("{}: number of steps must be non-negative: got {}", op, steps);
  if (dtype == DType::bool_) fail<DTypeError>("{}: got dtype bool, expected a number type", op);
  check_dtype_implemented(op, dtype);
  if (steps == 1)
    check_bounds(op, value(start), end, steps, dtype);
  else
    check_bounds(op, start, end, steps, dtype);
  const auto interpolate = [&](std::int64_t i, auto type) {
    using T = decltype(type);
    // Steps are counted from the nearer end and rounded to the element type if it is a
    // floating-point type, as in PyTorch.
    using S = std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;
    const auto round_to_element = [](S x) {
      if constexpr (std::is_integral_v<T>)
        return x;
      else
        return element_cast<S>(element_cast<T>(x));
    };
    const S first = element_cast<S>(element_cast<T>(start));
    const S last = element_cast<S>(element_cast<T>(end));
    if (steps == 1) return element_cast<T>(value(first));
    const S step = round_to_element(round_to_element(last - first) / static_cast<S>(steps - 1));
    const auto at = [&](S bound, S offset, std::int64_t count) {
      // PyTorch's loops for f32 and f64 are compiled to fused multiply-adds.
      if constexpr (std::is_same_v<T, S>) return std::fma(offset, static_cast<S>(count), bound);
      return bound + round_to_element(offset * static_cast<S>(count));
    };
    return element_cast<T>(
        value(i < steps / 2 ? at(first, step, i) : at(last, -step, steps - i - 1)));
  };
  return factory::make_from_function({steps}, dtype, options, interpolate);
}

double scalar_bound(std::string_view op, const Tensor& value, const char* name) {
  if (value.dim() != 0)
    fail<ShapeError>("{}: only supports 0-dimensional start and end tensors: got {} of shape {}",
                     op, name, value.shape());
  return value.item<double>();
}

}  // namespace

Tensor linspace(double start, double end, IntArg steps, const TensorOptions& options) {
  const std::int64_t count = steps;
  if (options.dtype.value_or(default_dtype()) != DType::f32 || count < 2 ||
      count > std::numeric_limits<std::int32_t>::max())
    return evenly_spaced("linspace", start, end, steps, options, [](auto x) { return x; });
  check_bounds("linspace", start, end, count, DType::f32);
  const auto first = element_cast<float>(start), last = element_cast<float>(end);
  const float step = (last - first) / static_cast<float>(count - 1);
  return factory::make_from_ranges(
      {count}, DType::f32, options, [=](std::byte* data, std::int64_t from, std::int64_t to) {
        factory::linspace_f32(reinterpret_cast<float*>(data), from, to, count, first, last, step);
      });
}
Tensor logspace(double start, double end, IntArg steps, double base, const TensorOptions& options) {
  return evenly_spaced("logspace", start, end, steps, options,
                       [base](auto x) { return std::pow(base, static_cast<double>(x)); });
}

Tensor linspace(const Tensor& start, const Tensor& end, IntArg steps,
                const TensorOptions& options) {
  return linspace(scalar_bound("linspace", start, "start"), scalar_bound("linspace", end, "end"),
                  steps, options);
}
Tensor linspace(const Tensor& start, double end, IntArg steps, const TensorOptions& options) {
  return linspace(scalar_bound("linspace", start, "start"), end, steps, options);
}
Tensor linspace(double start, const Tensor& end, IntArg steps, const TensorOptions& options) {
  return linspace(start, scalar_bound("linspace", end, "end"), steps, options);
}

Tensor logspace(const Tensor& start, const Tensor& end, IntArg steps, double base,
                const TensorOptions& options) {
  return logspace(scalar_bound("logspace", start, "start"), scalar_bound("logspace", end, "end"),
                  steps, base, options);
}
Tensor logspace(const Tensor& start, double end, IntArg steps, double base,
                const TensorOptions& options) {
  return logspace(scalar_bound("logspace", start, "start"), end, steps, base, options);
}
Tensor logspace(double start, const Tensor& end, IntArg steps, double base,
                const TensorOptions& options) {
  return logspace(start, scalar_bound("logspace", end, "end"), steps, base, options);
}

Tensor eye(IntArg n, IntArg m, const TensorOptions& options) {
  if (n < 0) fail<ValueError>("eye: n must be greater or equal to 0, got {}", n);
  if (m < -1) fail<ValueError>("eye: m must be greater or equal to 0, got {}", m);
  if (options.dtype) check_dtype_implemented("eye", *options.dtype);
  const std::int64_t columns = m < 0 ? n : m;
  const DType dtype = options.dtype.value_or(default_dtype());
  const Device device = options.device.value_or(get_default_device());
  const bool meta = device.is_meta();
  const Tensor matrix = new_tensor({n, columns}, dtype, meta ? device : Device::cpu());
  if (!meta && impl(matrix).numel > 0) {
    std::byte* const data = impl(matrix).storage->buffer().data;
    std::memset(data, 0, static_cast<std::size_t>(impl(matrix).numel) * size_of(dtype));
    visit_dtype(dtype, [&]<class T>(T) {
      for (std::int64_t i = 0; i < std::min<std::int64_t>(n, columns); ++i)
        reinterpret_cast<T*>(data)[i * (columns + 1)] = element_cast<T>(1);
    });
  }
  return factory::apply_options(matrix, options);
}

}  // namespace taper
