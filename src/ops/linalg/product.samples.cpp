#include "ops/linalg/product.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(mm) {
  return {sample<Mm>({{2, 3}, {3, 4}}), sample<Mm>({{1, 5}, {5, 1}}), sample<Mm>({{7, 1}, {1, 9}}),
          sample<Mm>({{2, 0}, {0, 3}}), sample<Mm>({{33, 20}, {20, 17}})};
}
TAPER_DEFINE_SAMPLES(bmm) {
  return {sample<Bmm>({{2, 2, 3}, {2, 3, 4}}), sample<Bmm>({{3, 1, 5}, {3, 5, 1}}),
          sample<Bmm>({{0, 2, 3}, {0, 3, 2}})};
}
TAPER_DEFINE_SAMPLES(mv) { return {sample<Mv>({{4, 3}, {3}}), sample<Mv>({{1, 20}, {20}})}; }
TAPER_DEFINE_SAMPLES(dot) { return {sample<Dot>({{5}, {5}}), sample<Dot>({{0}, {0}})}; }

}  // namespace taper
