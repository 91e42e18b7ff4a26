#include "ops/random/dropout.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(dropout) {
  const auto mask = [](const Shape& shape) { return Draw(shape, 0, 1, DType::bool_); };
  return {row<Dropout>({{2, 3}, mask({2, 3})}, {.p = 0.25}),
          row<Dropout>({{2, 3, 4, 5}, mask({2, 3, 1, 1})}, {.p = 0.5}),
          row<Dropout>({{2, 3, 4, 5}, mask({2, 3, 4, 5})}, {.p = 0.5})};
}

}  // namespace taper
