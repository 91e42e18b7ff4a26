#include "ops/pointwise/special.h"
#include "ops/pointwise/ranges.h"

namespace taper {

#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define PLAIN_UNARY(name, Type, forms, dtypes, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#define PLAIN_BINARY(name, Type, inputs, forms, dtypes, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/special.inc"

}  // namespace taper
