// Window functions.
#include "taper/ops/window.h"

#include <cmath>
#include <numbers>

#include "ops/factory/make.h"
#include "ops/factory/progressions.h"
#include "ops/pointwise/special_math.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Returns a window of `length` elements f(n, last), where n / last is in [0, 1]: last is one less
/// than the length of a symmetric window, and the length of a periodic one.
template <class F> Tensor make_window(std::string_view name, std::int64_t length, bool sym,
                                      const TensorOptions& options, bool wide_only, F&& f) {
  if (length < 0) fail<ValueError>("{}: requires non-negative window length, got {}", name, length);
  const DType dtype = options.dtype.value_or(default_dtype());
  if (!is_floating_point(dtype) || (wide_only && size_of(dtype) < 4))
    fail<DTypeError>("{}: expects {}, got {}", name,
                     wide_only ? "float32 or float64" : "a floating-point dtype", dtype);
  const auto last = static_cast<double>(sym ? length - 1 : length);
  return factory::make_from_function({length}, dtype, options, [&]<class T>(std::int64_t i, T) {
    return element_cast<T>(f(static_cast<double>(i), last));
  });
}

/// Sums (-1)^k a[k] cos(2 pi k n / last) in precision T, optionally from the last term on. At the
/// ends of Blackman's window the terms cancel: there PyTorch's values are the rounding errors.
template <class T>
double cosine_sum(std::span<const double> a, bool from_last, double n, double last) {
  T sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t k = from_last ? a.size() - 1 - i : i;
    const double angle = static_cast<double>(k) * 2 * std::numbers::pi * n / last;
    sum += static_cast<T>(k % 2 == 0 ? a[k] : -a[k]) * static_cast<T>(std::cos(angle));
  }
  return static_cast<double>(sum);
}
Tensor cosine_window(std::string_view name, std::int64_t length, bool sym,
                     const TensorOptions& options, bool wide_only, std::span<const double> a) {
  const DType dtype = options.dtype.value_or(default_dtype());
  const bool is_wide = dtype == DType::f64;
  if (dtype == DType::f32 && length > 1)
    return factory::make_from_ranges(
        {length}, dtype, options, [&](std::byte* data, std::int64_t begin, std::int64_t end) {
          factory::cosine_sums_f32(reinterpret_cast<float*>(data), begin, end,
                                   static_cast<double>(sym ? length - 1 : length), a, !wide_only);
        });
  return make_window(name, length, sym, options, wide_only, [&](double n, double last) {
    if (length == 1) return 1.0;
    // The functions that also support 16-bit dtypes are older and sum from the last term on.
    return is_wide ? cosine_sum<double>(a, !wide_only, n, last)
                   : cosine_sum<float>(a, !wide_only, n, last);
  });
}
Tensor triangle(std::string_view name, std::int64_t length, bool sym, const TensorOptions& options,
                bool wide_only) {
  return make_window(name, length, sym, options, wide_only, [&](double n, double last) {
    return length == 1 ? 1 : 1 - std::abs(2 * n / last - 1);
  });
}
Tensor bessel_window(std::string_view name, std::int64_t length, double beta, bool sym,
                     const TensorOptions& options, bool wide_only) {
  // As in PyTorch, the values of i0 overflow in the dtype, for float32 from 88.7 on: then the
  // window is 0 or NaN.
  const bool is_wide = options.dtype.value_or(default_dtype()) == DType::f64;
  const auto i0 = [is_wide](double x) {
    const double y = special_math::i0(x);
    return is_wide || std::exp(x) <= std::numeric_limits<float>::max() ? y : special_math::kInf;
  };
  const double top = i0(beta);
  return make_window(name, length, sym, options, wide_only, [&](double n, double last) {
    if (length == 1) return 1.0;
    const double k = 2 * n / last - 1;
    return i0(beta * std::sqrt(std::max(0.0, 1 - k * k))) / top;
  });
}

constexpr double kHann[] = {0.5, 0.5}, kBlackman[] = {0.42, 0.5, 0.08},
                 kNuttall[] = {0.3635819, 0.4891775, 0.1365995, 0.0106411};

}  // namespace

Tensor hann_window(IntArg length, bool periodic, const TensorOptions& o) {
  return cosine_window("hann_window", length, !periodic, o, false, kHann);
}
Tensor hamming_window(IntArg length, bool periodic, double alpha, double beta,
                      const TensorOptions& o) {
  const double a[] = {alpha, beta};
  return cosine_window("hamming_window", length, !periodic, o, false, a);
}
Tensor bartlett_window(IntArg length, bool periodic, const TensorOptions& o) {
  return triangle("bartlett_window", length, !periodic, o, false);
}
Tensor blackman_window(IntArg length, bool periodic, const TensorOptions& o) {
  return cosine_window("blackman_window", length, !periodic, o, false, kBlackman);
}
Tensor kaiser_window(IntArg length, bool periodic, double beta, const TensorOptions& o) {
  return bessel_window("kaiser_window", length, beta, !periodic, o, false);
}

namespace signal::windows {

Tensor bartlett(IntArg M, bool sym, const TensorOptions& o) {
  return triangle("bartlett", M, sym, o, true);
}
Tensor blackman(IntArg M, bool sym, const TensorOptions& o) {
  return cosine_window("blackman", M, sym, o, true, kBlackman);
}
Tensor hann(IntArg M, bool sym, const TensorOptions& o) {
  return cosine_window("hann", M, sym, o, true, kHann);
}
Tensor nuttall(IntArg M, bool sym, const TensorOptions& o) {
  return cosine_window("nuttall", M, sym, o, true, kNuttall);
}
Tensor general_cosine(IntArg M, std::span<const double> a, bool sym, const TensorOptions& o) {
  if (a.empty()) fail<ValueError>("general_cosine: Coefficients must not be empty");
  return cosine_window("general_cosine", M, sym, o, true, a);
}
Tensor general_hamming(IntArg M, double alpha, bool sym, const TensorOptions& o) {
  const double a[] = {alpha, 1 - alpha};
  return cosine_window("general_hamming", M, sym, o, true, a);
}
Tensor hamming(IntArg M, bool sym, const TensorOptions& o) {
  return general_hamming(M, 0.54, sym, o);
}
Tensor cosine(IntArg M, bool sym, const TensorOptions& o) {
  return make_window("cosine", M, sym || M == 1, o, true, [](double n, double last) {
    return std::sin(std::numbers::pi * (n + 0.5) / (last + 1));
  });
}
Tensor exponential(IntArg M, std::optional<double> center, double tau, bool sym,
                   const TensorOptions& o) {
  if (!(tau > 0)) fail<ValueError>("exponential: Tau must be positive, got: {} instead.", tau);
  if (sym && center) fail<ValueError>("exponential: Center must be None for symmetric windows");
  return make_window("exponential", M, sym || M == 1, o, true, [&](double n, double last) {
    return std::exp(-std::abs(n - center.value_or(last / 2)) / tau);
  });
}
Tensor gaussian(IntArg M, double std, bool sym, const TensorOptions& o) {
  if (!(std > 0))
    fail<ValueError>("gaussian: Standard deviation must be positive, got: {} instead.", std);
  return make_window("gaussian", M, sym || M == 1, o, true, [&](double n, double last) {
    const double k = (n - last / 2) / (std * std::numbers::sqrt2);
    return std::exp(-k * k);
  });
}
Tensor kaiser(IntArg M, double beta, bool sym, const TensorOptions& o) {
  if (!(beta >= 0)) fail<ValueError>("kaiser: beta must be non-negative, got: {} instead.", beta);
  return bessel_window("kaiser", M, beta, sym, o, true);
}

}  // namespace signal::windows
}  // namespace taper
