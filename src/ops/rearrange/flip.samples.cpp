#include "ops/rearrange/flip.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(flip) {
  return {sample<Flip>({{3, 4}}, {.dims = {0}}), sample<Flip>({{2, 3, 4, 5}}, {.dims = {-1, 1}}),
          sample<Flip>({{0, 3}}, {.dims = {0}}), sample<Flip>({{3}}), sample<Flip>({Shape{}})};
}

}  // namespace taper
