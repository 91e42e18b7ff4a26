#include "ops/pointwise/add.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <class O> std::vector<Row> sum_rows() {
  return {row<O>({{2, 3}, {2, 3}}),
          row<O>({{2, 3}, {3}}, {.alpha = -2}),
          row<O>({{2, 1}, {1, 3}}),
          row<O>({{5}, {4, 1, 5}}),
          row<O>({{1}, {}}),
          row<O>({{0, 3}, {0, 3}}),
          row<O>({{13, 131}, {131}}, {.alpha = 3}),
          row<O>({{3, 700}, {3, 1}}),
          row<O>({{2, 3, 4, 5}, {2, 3, 4, 5}}),
          row<O>({{2, 3, 4, 5}, {3, 1, 1}})};
}

}  // namespace

TAPER_DEFINE_ROWS(add) { return sum_rows<Add>(); }
TAPER_DEFINE_ROWS(sub) { return sum_rows<Sub>(); }
TAPER_DEFINE_ROWS(rsub) { return sum_rows<Rsub>(); }

}  // namespace taper
