// Ops declared in bitwise.inc, and bitwise_not.
#pragma once
#include "ops/pointwise/division.h"
#include "ops/pointwise/rows.h"

namespace taper {

/// Rule of remainders, which reject integer divisors of 0.
template <class O> struct Division : NoBool {
  static void check_elements(const KernelArgs& k) { reject_zero_divisors(k, O::op.function()); }
};

#define BINARY TAPER_DECLARE_BINARY
#define PLAIN_BINARY TAPER_DECLARE_PLAIN_BINARY
#include "ops/pointwise/bitwise.inc"

/// Inverts the bits of integers, and the truth of bools.
struct BitwiseNot : IntegerOrBool {
  static constexpr OpInfo op =
      pointwise("bitwise_not", {}, "input", DTypeSet::integral | DTypeSet{DType::bool_}, 0,
                TypePromotion::standard);
  static std::int64_t value(std::int64_t x) { return ~x; }
};

}  // namespace taper
