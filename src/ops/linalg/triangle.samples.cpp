#include "ops/linalg/triangle.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(triu) {
  return {sample<Triu>({{3, 4}}), sample<Triu>({{2, 4, 3}}, {.diagonal = 1}),
          sample<Triu>({{2, 2, 4, 3}}, {.diagonal = -2}), sample<Triu>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(tril) {
  return {sample<Tril>({{3, 4}}), sample<Tril>({{2, 4, 3}}, {.diagonal = -1}),
          sample<Tril>({{3, 3}}, {.diagonal = 7})};
}

}  // namespace taper
