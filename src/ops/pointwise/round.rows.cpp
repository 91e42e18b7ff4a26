#include "ops/pointwise/round.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(floor) { return unary_rows<Floor>(-9, 9, 0, {}, false); }
TAPER_DEFINE_ROWS(ceil) { return unary_rows<Ceil>(-9, 9, 0, {}, false); }
TAPER_DEFINE_ROWS(round) { return unary_rows<Round>(-9, 9, 0, {}, false); }
TAPER_DEFINE_ROWS(trunc) { return unary_rows<Trunc>(-9, 9, 0, {}, false); }

}  // namespace taper
