#include "ops/pointwise/binary.h"
#include "ops/pointwise/ranges.h"

namespace taper {

#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/binary.inc"

}  // namespace taper
