#include "ops/view/unfold.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(unfold) {
  return {sample<Unfold>({{7}}, {.size = 3, .step = 2}),
          sample<Unfold>({{2, 5, 3}}, {.dimension = 1, .size = 3, .step = 1}),
          sample<Unfold>({{2, 3, 4, 5}}, {.dimension = -1, .size = 2, .step = 3}),
          sample<Unfold>({Shape{}}), sample<Unfold>({{3, 0}}, {.size = 2})};
}

}  // namespace taper
