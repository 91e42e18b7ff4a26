// Ops declared in vectorized.inc and elementary.inc, and similar ops with attributes.
#pragma once
#include <algorithm>
#include <numbers>

#include "ops/pointwise/rows.h"
#include "ops/pointwise/special_math.h"
#include "taper/ops/elementary.h"

namespace taper {

/// Rule of ops that do not promote their inputs.
struct SameDtype : AnyDtype {
  void infer(ShapeInference& i) const;
};

#define UNARY TAPER_DECLARE_UNARY
#define PREDICATE TAPER_DECLARE_PREDICATE
#define BINARY TAPER_DECLARE_BINARY
#include "ops/pointwise/vectorized.inc"
#define UNARY TAPER_DECLARE_UNARY
#define PREDICATE TAPER_DECLARE_PREDICATE
#define BINARY TAPER_DECLARE_BINARY
#define PLAIN_BINARY TAPER_DECLARE_PLAIN_BINARY
#include "ops/pointwise/elementary.inc"

/// Returns true if the sign bit is set; always false for unsigned integers.
struct SignBit : Unsigned<ToBool> {
  static constexpr OpInfo op =
      out_of_place(pointwise("signbit", {}, "input", supported, 0, promote));
  template <class T> static bool value(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::signbit(x);
    else
      return x < 0;
  }
};

/// Computes log(z / (1 - z)), where z is the input clamped to [eps, 1 - eps] if eps is given.
struct Logit : ToFloat {
  std::optional<double> eps{};
  TAPER_ATTRIBUTES(eps)
  static constexpr OpInfo op =
      pointwise("logit", "LogitBackward0", "input", supported, in(0), promote);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Logit>& b) const;
  template <class T> T value(T x) const {
    if (eps) {
      const T low = static_cast<T>(*eps), high = T(1) - low;
      x = x < low ? low : x > high ? high : x;
    }
    return std::log(x / (T(1) - x));
  }
};

/// Computes derivative n of the digamma function.
struct Polygamma : ToFloat {
  std::int64_t n = 0;
  TAPER_ATTRIBUTES(n)
  static constexpr OpInfo op =
      pointwise("polygamma", "PolygammaBackward0", "input", supported, in(0), promote);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Polygamma>& b) const {
    // Orders of this size all have the value NaN or infinity.
    constexpr std::int64_t kMaxOrder = std::int64_t{1} << 62;
    b[0] = b.grad() * polygamma(std::min(n, kMaxOrder) + 1, b.input<0>());
  }
  double value(double x) const { return special_math::polygamma(n, x); }
};

/// Replaces NaN and infinities, by default by 0 and by the limits of the dtype.
struct NanToNum : AnyDtype {
  std::optional<double> nan{}, posinf{}, neginf{};
  TAPER_ATTRIBUTES(nan, posinf, neginf)
  static constexpr OpInfo op =
      pointwise("nan_to_num", "NanToNumBackward0", "input", DTypeSet::every, in(0));
  void backward(BackwardContext<NanToNum>& b) const;
  /// Returns the op with the default numbers of a dtype.
  NanToNum with_defaults(DType dtype) const;
  template <class T> T value(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else if (std::isfinite(x))
      return x;
    else
      return static_cast<T>(x != x ? *nan : x > 0 ? *posinf : *neginf);
  }
};

/// Rounds to `decimals` digits after the decimal point, with ties to even.
struct RoundDecimals : FloatOnly {
  std::int64_t decimals = 0;
  TAPER_ATTRIBUTES(decimals)
  static constexpr OpInfo op =
      called("round", pointwise("round_decimals", "RoundBackward1", "input", supported));
  void backward(BackwardContext<RoundDecimals>& b) const { b[0] = zero_grad_for(b, 0); }
  /// Computes in T, as PyTorch does: the result depends on the rounding of the product.
  template <class T> T value(T x) const {
    if (decimals == 0) return std::nearbyint(x);
    const T scale = static_cast<T>(std::pow(10.0, std::abs(static_cast<double>(decimals))));
    return decimals > 0 ? std::nearbyint(x * scale) / scale : std::nearbyint(x / scale) * scale;
  }
};

/// Computes the next number after `input` toward `other` that the dtype can represent.
struct Nextafter : FloatOnly {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op =
      pointwise("nextafter", "NextafterBackward0", "input other", supported, in(0) | in(1));
  void backward(BackwardContext<Nextafter>& b) const;
};

/// Decomposes each element as mantissa * 2^exponent.
struct Frexp {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "frexp",
                             .node = "FrexpBackward0",
                             .inputs = "input",
                             .outputs = "mantissa exponent",
                             .dtypes = DTypeSet::floating,
                             .saved = out(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Frexp>& b) const;
};

}  // namespace taper
