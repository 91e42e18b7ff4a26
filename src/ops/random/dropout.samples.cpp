#include "ops/random/dropout.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(dropout) {
  const auto mask = [](const Shape& shape) { return TensorSpec(shape, 0, 1, DType::bool_); };
  return {sample<Dropout>({{2, 3}, mask({2, 3})}, {.p = 0.25}),
          sample<Dropout>({{2, 3, 4, 5}, mask({2, 3, 1, 1})}, {.p = 0.5}),
          sample<Dropout>({{2, 3, 4, 5}, mask({2, 3, 4, 5})}, {.p = 0.5})};
}

}  // namespace taper
