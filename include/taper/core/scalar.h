// One number of any kind, as a plain number in an expression with tensors.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {

/// A bool, integer or float that keeps its kind, since type promotion depends on it: a float next
/// to an integer tensor gives the default float dtype, any number next to a float tensor keeps the
/// tensor's dtype (torch: "wrapped numbers"). PyTorch: a Python number, c10::Scalar.
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
  /// Throws ValueError for a float that no 64-bit integer holds.
  std::int64_t to_int() const;
  bool to_bool() const noexcept { return is_floating() ? floating_ != 0 : integer_ != 0; }
  /// The dtype that holds the number exactly: f64, i64 or bool.
  DType dtype() const noexcept {
    return kind_ == Kind::floating  ? DType::f64
           : kind_ == Kind::integer ? DType::i64
                                    : DType::bool_;
  }
  /// Where the number's eight bytes are (a double or an int64; for a bool the low byte is 0 or 1).
  const void* data() const noexcept { return &integer_; }
  /// As Python prints it: True, 3, 0.5, 1e-08, inf.
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

/// A double as Python prints it: the shortest digits that read back, `1e-08`, `0.1`, `2.0`.
std::string python_repr(double value);

}  // namespace taper
