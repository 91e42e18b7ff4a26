#include "ops/reduce/recurrence.h"

#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(_linear_recurrence) {
  using O = LinearRecurrence;
  return {sample<O>({{5, 3}, {5, 3}}), sample<O>({{2, 3, 4, 5}, {2, 3, 4, 5}}, {.dim = -3}),
          sample<O>({{2, 6}, {2, 6}}, {.dim = 1, .reverse = true}), sample<O>({{0, 3}, {0, 3}}),
          sample<O>({Shape{}, Shape{}})};
}

}  // namespace taper
