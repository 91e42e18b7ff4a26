#include "ops/pointwise/sqrt.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(sqrt) { return unary_rows<Sqrt>(0.25, 3); }
TAPER_DEFINE_ROWS(rsqrt) { return unary_rows<Rsqrt>(0.25, 3); }
TAPER_DEFINE_ROWS(reciprocal) { return unary_rows<Reciprocal>(-2, 2, 0.4); }

}  // namespace taper
