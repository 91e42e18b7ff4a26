#include "ops/indexing/cat.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(cat) {
  return {sample<Cat>({{2, 3}, {2, 3}}), sample<Cat>({{2, 3}, {2, 1}, {2, 0}}, {.dim = 1}),
          sample<Cat>({{2, 3, 4, 5}, {2, 2, 4, 5}}, {.dim = -3}),
          sample<Cat>({{0}, {2, 3}, {4, 3}}),
          sample<Cat>({{2, 3}, TensorSpec({2, 3}, -2, 2, DType::f64)})};
}

TAPER_DEFINE_SAMPLES(stack) {
  return {sample<Stack>({{2, 3}, {2, 3}}), sample<Stack>({{2, 3}, {2, 3}, {2, 3}}, {.dim = -1}),
          sample<Stack>({Shape{}, Shape{}}), sample<Stack>({{0, 2}, {0, 2}}, {.dim = 1})};
}

}  // namespace taper
