#include "ops/reduce/cumsum.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(cumsum) {
  return {row<CumSum>({{2, 3}}),
          row<CumSum>({{2, 3, 4, 5}}, {.dim = -3}),
          row<CumSum>({{3, 70}}, {.dim = 1, .dtype = DType::f64}),
          row<CumSum>({{3, 7}}, {.dim = 1, .reverse = true}),
          row<CumSum>({{0, 3}}),
          row<CumSum>({Shape{}})};
}

}  // namespace taper
