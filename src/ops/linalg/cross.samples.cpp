#include "ops/linalg/cross.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(linalg_cross) {
  using O = LinalgCross;
  return {sample<O>({{5, 3}, {5, 3}}, {1}), sample<O>({{3, 17}, {3, 17}}, {0}),
          sample<O>({{2, 3, 4}, {2, 3, 4}}, {1}), sample<O>({{3}, {3}}, {0}),
          sample<O>({{2, 4, 5, 3}, {2, 4, 5, 3}}, {3})};
}

}  // namespace taper
