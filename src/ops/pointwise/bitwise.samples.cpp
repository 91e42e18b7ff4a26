#include "ops/pointwise/bitwise.h"
#include "ops/pointwise/ranges.h"

namespace taper {

#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#define PLAIN_BINARY(name, Type, inputs, forms, dtypes, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/bitwise.inc"

TAPER_DEFINE_SAMPLES(bitwise_not) { return unary_samples<BitwiseNot>({nonsmooth(-9, 9)}); }

}  // namespace taper
