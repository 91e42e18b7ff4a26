#include "ops/linalg/triangle.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(triu) {
  return {row<Triu>({{3, 4}}), row<Triu>({{2, 4, 3}}, {.diagonal = 1}),
          row<Triu>({{2, 2, 4, 3}}, {.diagonal = -2}), row<Triu>({{0, 3}})};
}
TAPER_DEFINE_ROWS(tril) {
  return {row<Tril>({{3, 4}}), row<Tril>({{2, 4, 3}}, {.diagonal = -1}),
          row<Tril>({{3, 3}}, {.diagonal = 7})};
}

}  // namespace taper
