#include "ops/view/diagonal.h"

#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(diagonal) {
  return {row<Diagonal>({{3, 4}}),
          row<Diagonal>({{2, 4, 3}}, {.offset = -1, .dim1 = -2, .dim2 = -1}),
          row<Diagonal>({{4, 2, 3}}, {.offset = 1, .dim1 = 2, .dim2 = 0})};
}

}  // namespace taper
