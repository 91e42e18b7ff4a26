#include "ops/linalg/add_product.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(addmm) {
  return {row<Addmm>({{2, 4}, {2, 3}, {3, 4}}),
          row<Addmm>({{4}, {2, 3}, {3, 4}}, {.beta = 0.5, .alpha = 2}),
          row<Addmm>({{2, 1}, {2, 3}, {3, 4}}, {.beta = 0})};
}
TAPER_DEFINE_ROWS(baddbmm) {
  return {row<Baddbmm>({{2, 2, 4}, {2, 2, 3}, {2, 3, 4}}),
          row<Baddbmm>({{1, 4}, {2, 2, 3}, {2, 3, 4}}, {.beta = 2, .alpha = 0.5})};
}
TAPER_DEFINE_ROWS(addmv) {
  return {row<Addmv>({{4}, {4, 3}, {3}}), row<Addmv>({{1}, {4, 3}, {3}}, {.alpha = -2})};
}

}  // namespace taper
