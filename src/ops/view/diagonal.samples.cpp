#include "ops/view/diagonal.h"

#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(diagonal) {
  return {sample<Diagonal>({{3, 4}}),
          sample<Diagonal>({{2, 4, 3}}, {.offset = -1, .dim1 = -2, .dim2 = -1}),
          sample<Diagonal>({{4, 2, 3}}, {.offset = 1, .dim1 = 2, .dim2 = 0})};
}

}  // namespace taper
