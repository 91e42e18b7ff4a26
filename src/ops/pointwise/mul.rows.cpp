#include "ops/pointwise/mul.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(mul) {
  return {row<Mul>({{2, 3}, {2, 3}}), row<Mul>({{2, 3}, {3}}), row<Mul>({{2, 1}, {1, 3}}),
          row<Mul>({{2, 3, 4, 5}, {2, 3, 4, 5}})};
}

}  // namespace taper
