// Scalar: a number of dynamic type.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {

/// Bool, integer or floating-point number whose type takes part in promotion: a floating-point
/// scalar and an integer tensor result in default_dtype(), and any number and a floating-point
/// tensor in the dtype of the tensor ("wrapped numbers"). PyTorch: a Python number, c10::Scalar.
///
/// A number that an op stores in a tensor, or by which it scales an operand (`fill_`, `where`,
/// `alpha`), must be in the range of the dtype: the op throws RuntimeError for 300 in uint8, and
/// for NaN and infinities in integers. A negative integer wraps around in unsigned dtypes. Numbers
/// that are operands, as in `x + 300` and `x == 300`, wrap around.
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, integer, floating };

  Scalar() noexcept : Scalar(std::int64_t{0}) {}
  template <std::same_as<bool> B> Scalar(B v) noexcept : integer_(v), kind_(Kind::boolean) {}
  template <std::integral I>
  requires(!std::same_as<I, bool>) Scalar(I v)
  noexcept : integer_(static_cast<std::int64_t>(v)), kind_(Kind::integer) {}
  template <std::floating_point F> Scalar(F v) noexcept
      : floating_(static_cast<double>(v)), kind_(Kind::floating) {}

  template <class T> Scalar(NotBool<T> v) noexcept : Scalar(static_cast<T>(v)) {}

  Kind kind() const noexcept { return kind_; }
  bool is_floating() const noexcept { return kind_ == Kind::floating; }
  double to_double() const noexcept {
    return is_floating() ? floating_ : static_cast<double>(integer_);
  }
  /// Returns the number truncated to an integer. Throws ValueError if a floating-point number
  /// exceeds 64 bits or is NaN.
  std::int64_t to_int() const;
  bool to_bool() const noexcept { return is_floating() ? floating_ != 0 : integer_ != 0; }
  /// Returns the dtype that represents the number exactly: f64, i64 or bool.
  DType dtype() const noexcept {
    return kind_ == Kind::floating  ? DType::f64
           : kind_ == Kind::integer ? DType::i64
                                    : DType::bool_;
  }
  /// Returns a pointer to the eight bytes of the number: a double or an int64; the low byte of a
  /// bool is 0 or 1.
  const void* data() const noexcept { return &integer_; }
  /// Returns Python's printed form: True, 3, 0.5, 1e-08, inf.
  std::string str() const;
  friend bool operator==(const Scalar& a, const Scalar& b) noexcept {
    if (a.kind_ != b.kind_) return false;
    return a.is_floating() ? a.floating_ == b.floating_ : a.integer_ == b.integer_;
  }

 private:
  union {
    std::int64_t integer_;
    double floating_;
  };
  Kind kind_;
};

/// Scalar parameter or field that does not accept bool: a coefficient or bound whose kind, integer
/// or floating-point, is kept.
class ScalarArg : public Scalar {
 public:
  template <std::convertible_to<Scalar> N>
  requires(!std::same_as<N, bool>) ScalarArg(N value)
  noexcept : Scalar(value) {}
  template <std::same_as<bool> B> ScalarArg(B) = delete;  // a bool is not a coefficient or bound
};

/// Returns Python's printed form of a double, the shortest digits that convert back to it: `1e-08`,
/// `0.1`, `2.0`.
std::string python_repr(double value);

}  // namespace taper
