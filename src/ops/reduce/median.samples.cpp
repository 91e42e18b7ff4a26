#include "ops/reduce/median.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(median) {
  return {sample<Median>({{2, 3}}, {.dim = 1}),
          sample<Median>({{5, 70}}, {.dim = -1, .keepdim = true}),
          sample<Median>({{2, 3, 4, 5}}, {.dim = 1}), sample<Median>({Shape{}}, {.dim = 0}),
          sample<Median>({{0, 3}}, {.dim = 1})};
}
TAPER_DEFINE_SAMPLES(median_all) {
  return {sample<MedianAll>({{2, 3}}), sample<MedianAll>({{5, 70}}), sample<MedianAll>({Shape{}}),
          sample<MedianAll>({{2, 3, 4, 5}})};
}

}  // namespace taper
