#include "ops/linalg/product.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(mm) {
  return {row<Mm>({{2, 3}, {3, 4}}), row<Mm>({{1, 5}, {5, 1}}), row<Mm>({{7, 1}, {1, 9}}),
          row<Mm>({{2, 0}, {0, 3}}), row<Mm>({{33, 20}, {20, 17}})};
}
TAPER_DEFINE_ROWS(bmm) {
  return {row<Bmm>({{2, 2, 3}, {2, 3, 4}}), row<Bmm>({{3, 1, 5}, {3, 5, 1}}),
          row<Bmm>({{0, 2, 3}, {0, 3, 2}})};
}
TAPER_DEFINE_ROWS(mv) { return {row<Mv>({{4, 3}, {3}}), row<Mv>({{1, 20}, {20}})}; }
TAPER_DEFINE_ROWS(dot) { return {row<Dot>({{5}, {5}}), row<Dot>({{0}, {0}})}; }

}  // namespace taper
