#include "ops/pointwise/exp.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(exp) { return unary_rows<Exp>(-2, 2); }
TAPER_DEFINE_ROWS(expm1) { return unary_rows<Expm1>(-2, 2); }
TAPER_DEFINE_ROWS(log) { return unary_rows<Log>(0.25, 3); }
TAPER_DEFINE_ROWS(log1p) { return unary_rows<Log1p>(-0.75, 3); }

}  // namespace taper
