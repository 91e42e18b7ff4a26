#include "ops/copy/copy.h"
#include "ops/copy/fill.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(clone) {
  return {row<Clone>({{2, 3}}), row<Clone>({{2, 3, 4, 5}}), row<Clone>({Shape{}}),
          row<Clone>({{0, 3}})};
}
TAPER_DEFINE_ROWS(to_copy) {
  return {row<Cast>({{2, 3}}, {.dtype = DType::f64}),
          row<Cast>({{2, 3, 4, 5}}, {.dtype = DType::f64}),
          row<Cast>({Draw({3, 5}, 0, 100)}, {.dtype = DType::i16}),
          coarse(row<Cast>({{2, 70}}, {.dtype = DType::bf16}))};
}
TAPER_DEFINE_ROWS(copy) {
  return {row<Copy>({{2, 3}, {2, 3}}), row<Copy>({{2, 3}, {3}}),
          row<Copy>({{2, 3, 4, 5}, {3, 1, 1}})};
}
TAPER_DEFINE_ROWS(fill) {
  return {row<Fill>({{2, 3}}, {.value = 2.5}), row<Fill>({{2, 3, 4, 5}}, {.value = 0})};
}

}  // namespace taper
