#include "ops/pointwise/sin.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(sin) { return unary_rows<Sin>(-7, 7); }
TAPER_DEFINE_ROWS(cos) { return unary_rows<Cos>(-7, 7); }

}  // namespace taper
