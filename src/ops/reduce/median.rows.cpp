#include "ops/reduce/median.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(median) {
  return {row<Median>({{2, 3}}, {.dim = 1}), row<Median>({{5, 70}}, {.dim = -1, .keepdim = true}),
          row<Median>({{2, 3, 4, 5}}, {.dim = 1}), row<Median>({Shape{}}, {.dim = 0}),
          row<Median>({{0, 3}}, {.dim = 1})};
}
TAPER_DEFINE_ROWS(median_all) {
  return {row<MedianAll>({{2, 3}}), row<MedianAll>({{5, 70}}), row<MedianAll>({Shape{}}),
          row<MedianAll>({{2, 3, 4, 5}})};
}

}  // namespace taper
