#include "ops/pointwise/unary.h"
#include "ops/pointwise/ranges.h"

namespace taper {

#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define PREDICATE(name, Type, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/unary.inc"

}  // namespace taper
