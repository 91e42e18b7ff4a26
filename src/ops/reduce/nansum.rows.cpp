#include "ops/reduce/nansum.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(nansum) {
  return {row<NanSum>({{2, 3}}), row<NanSum>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}}),
          row<NanSum>({{3, 70}}, {.dim = Shape{1}, .keepdim = true, .dtype = DType::f64})};
}

}  // namespace taper
