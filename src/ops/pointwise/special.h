// Ops declared in special.inc.
#pragma once
#include "ops/pointwise/rows.h"
#include "ops/pointwise/special_math.h"

namespace taper {

/// Rule that converts integers and bools to the default dtype and rejects 16-bit floats.
struct ToWideFloat : ToFloat {
  static constexpr DTypeSet supported = DTypeSet::full_precision | DTypeSet::integral |
                                        DTypeSet{DType::bool_} | DTypeSet::barebones_unsigned;
};

#define UNARY TAPER_DECLARE_UNARY
#define PLAIN_UNARY TAPER_DECLARE_PLAIN_UNARY
// The forms are not a plain word.
#define BINARY(name, Type, node, inputs, forms, ...) \
  TAPER_DECLARE_BINARY(name, Type, node, inputs, internal, __VA_ARGS__)
#define PLAIN_BINARY TAPER_DECLARE_PLAIN_BINARY
#include "ops/pointwise/special.inc"

}  // namespace taper
