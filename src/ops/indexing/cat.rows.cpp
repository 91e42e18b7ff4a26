#include "ops/indexing/cat.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(cat) {
  return {row<Cat>({{2, 3}, {2, 3}}), row<Cat>({{2, 3}, {2, 1}, {2, 0}}, {.dim = 1}),
          row<Cat>({{2, 3, 4, 5}, {2, 2, 4, 5}}, {.dim = -3}), row<Cat>({{0}, {2, 3}, {4, 3}}),
          row<Cat>({{2, 3}, Draw({2, 3}, -2, 2, DType::f64)})};
}

TAPER_DEFINE_ROWS(stack) {
  return {row<Stack>({{2, 3}, {2, 3}}), row<Stack>({{2, 3}, {2, 3}, {2, 3}}, {.dim = -1}),
          row<Stack>({Shape{}, Shape{}}), row<Stack>({{0, 2}, {0, 2}}, {.dim = 1})};
}

}  // namespace taper
