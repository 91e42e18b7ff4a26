// Bitwise operations, shifts, remainders and integer division.
//
// Operands are broadcast, promoted and overwritten as those of taper/ops/pointwise.h.
#pragma once
#include "taper/core/api.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods of bitwise operations and remainders. Each is the free function of the same name
/// below, with this tensor as the first argument.
struct BitwiseMethods {
  Tensor bitwise_and(const Tensor& other) const;
  const Tensor& bitwise_and_(const Tensor& other) const;
  Tensor bitwise_and(const Scalar& other) const;
  const Tensor& bitwise_and_(const Scalar& other) const;
  Tensor bitwise_or(const Tensor& other) const;
  const Tensor& bitwise_or_(const Tensor& other) const;
  Tensor bitwise_or(const Scalar& other) const;
  const Tensor& bitwise_or_(const Scalar& other) const;
  Tensor bitwise_xor(const Tensor& other) const;
  const Tensor& bitwise_xor_(const Tensor& other) const;
  Tensor bitwise_xor(const Scalar& other) const;
  const Tensor& bitwise_xor_(const Scalar& other) const;
  Tensor bitwise_left_shift(const Tensor& other) const;
  const Tensor& bitwise_left_shift_(const Tensor& other) const;
  Tensor bitwise_left_shift(const Scalar& other) const;
  const Tensor& bitwise_left_shift_(const Scalar& other) const;
  Tensor bitwise_right_shift(const Tensor& other) const;
  const Tensor& bitwise_right_shift_(const Tensor& other) const;
  Tensor bitwise_right_shift(const Scalar& other) const;
  const Tensor& bitwise_right_shift_(const Scalar& other) const;
  Tensor remainder(const Tensor& other) const;
  const Tensor& remainder_(const Tensor& other) const;
  Tensor remainder(const Scalar& other) const;
  const Tensor& remainder_(const Scalar& other) const;
  Tensor fmod(const Tensor& other) const;
  const Tensor& fmod_(const Tensor& other) const;
  Tensor fmod(const Scalar& other) const;
  const Tensor& fmod_(const Scalar& other) const;
  Tensor floor_divide(const Tensor& other) const;
  const Tensor& floor_divide_(const Tensor& other) const;
  Tensor floor_divide(const Scalar& other) const;
  const Tensor& floor_divide_(const Scalar& other) const;
  Tensor bitwise_not() const;
  const Tensor& bitwise_not_() const;
};
}  // namespace ops

/// Bitwise operations on integers, and logical operations on bools. Throw NotImplementedError for
/// floating-point tensors. PyTorch: torch.bitwise_not, torch.bitwise_and, torch.bitwise_or,
/// torch.bitwise_xor.
Tensor bitwise_not(const Tensor& input);
Tensor bitwise_and(const Tensor& input, const Tensor& other);
Tensor bitwise_and(const Tensor& input, const Scalar& other);
Tensor bitwise_and(const Scalar& self, const Tensor& other);
Tensor bitwise_or(const Tensor& input, const Tensor& other);
Tensor bitwise_or(const Tensor& input, const Scalar& other);
Tensor bitwise_or(const Scalar& self, const Tensor& other);
Tensor bitwise_xor(const Tensor& input, const Tensor& other);
Tensor bitwise_xor(const Tensor& input, const Scalar& other);
Tensor bitwise_xor(const Scalar& self, const Tensor& other);
/// Returns input shifted by `other` bits. The right shift is arithmetic: it repeats the sign. If
/// `other` is negative or at least the number of bits, all bits are shifted out. Throw
/// NotImplementedError for floating-point tensors and bool. PyTorch: torch.bitwise_left_shift,
/// torch.bitwise_right_shift.
Tensor bitwise_left_shift(const Tensor& input, const Tensor& other);
Tensor bitwise_left_shift(const Tensor& input, const Scalar& other);
Tensor bitwise_left_shift(const Scalar& self, const Tensor& other);
Tensor bitwise_right_shift(const Tensor& input, const Tensor& other);
Tensor bitwise_right_shift(const Tensor& input, const Scalar& other);
Tensor bitwise_right_shift(const Scalar& self, const Tensor& other);

// Remainders and integer division. Throw NotImplementedError for bool, RuntimeError for an integer
// division by zero.

/// Returns the remainder of input / other with the sign of `other`, as Python's `%`: input - other
/// * floor(input / other). PyTorch: torch.remainder.
Tensor remainder(const Tensor& input, const Tensor& other);
Tensor remainder(const Tensor& input, const Scalar& other);
Tensor remainder(const Scalar& self, const Tensor& other);
/// Returns the remainder of input / other with the sign of `input`, as C's fmod: input - other *
/// trunc(input / other). PyTorch: torch.fmod.
Tensor fmod(const Tensor& input, const Tensor& other);
Tensor fmod(const Tensor& input, const Scalar& other);
/// Returns input / other rounded down. The gradient is 0. PyTorch: torch.floor_divide.
Tensor floor_divide(const Tensor& input, const Tensor& other);
Tensor floor_divide(const Tensor& input, const Scalar& other);

// Operators: `&`, `|`, `^`, `~`, `<<` and `>>` are the bitwise functions above, `%` is remainder.

Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Scalar& b);
Tensor operator&(const Scalar& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Scalar& b);
Tensor operator|(const Scalar& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Scalar& b);
Tensor operator^(const Scalar& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Scalar& b);
Tensor operator%(const Scalar& a, const Tensor& b);
Tensor operator<<(const Tensor& a, const Tensor& b);
Tensor operator<<(const Tensor& a, const Scalar& b);
Tensor operator<<(const Scalar& a, const Tensor& b);
Tensor operator>>(const Tensor& a, const Tensor& b);
Tensor operator>>(const Tensor& a, const Scalar& b);
Tensor operator>>(const Scalar& a, const Tensor& b);
Tensor operator~(const Tensor& a);
const Tensor& operator&=(const Tensor& a, const Tensor& b);
const Tensor& operator&=(const Tensor& a, const Scalar& b);
const Tensor& operator|=(const Tensor& a, const Tensor& b);
const Tensor& operator|=(const Tensor& a, const Scalar& b);
const Tensor& operator^=(const Tensor& a, const Tensor& b);
const Tensor& operator^=(const Tensor& a, const Scalar& b);
const Tensor& operator%=(const Tensor& a, const Tensor& b);
const Tensor& operator%=(const Tensor& a, const Scalar& b);
const Tensor& operator<<=(const Tensor& a, const Tensor& b);
const Tensor& operator<<=(const Tensor& a, const Scalar& b);
const Tensor& operator>>=(const Tensor& a, const Tensor& b);
const Tensor& operator>>=(const Tensor& a, const Scalar& b);

}  // namespace taper
