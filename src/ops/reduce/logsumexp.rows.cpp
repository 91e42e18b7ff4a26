#include "ops/reduce/logsumexp.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(logsumexp) {
  using O = LogSumExp;
  return {row<O>({{2, 3}}, {.dim = Shape{1}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          row<O>({Draw({2, 3, 4, 5}, -9, 9)}, {.dim = Shape{1}}),
          row<O>({Draw({300, 70}, 900, 905)}, {.dim = Shape{0}}),
          row<O>({{3, 1000}}),
          coarse(row<O>({{0, 3}}, {.dim = Shape{0}})),
          row<O>({Shape{}}, {.dim = Shape{0}})};
}

}  // namespace taper
