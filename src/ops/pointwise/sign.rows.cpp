#include "ops/pointwise/sign.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(neg) { return unary_rows<Neg>(-2, 2); }
TAPER_DEFINE_ROWS(abs) { return unary_rows<Abs>(-2, 2, 0.1); }
TAPER_DEFINE_ROWS(sign) { return unary_rows<Sign>(-2, 2, 0.1, {}, false); }

}  // namespace taper
