#include "ops/linalg/unsafe_view.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(unsafe_view) {
  return {row_major(row<UnsafeView>({{2, 6}}, {.size = Shape{3, 4}}))};
}

}  // namespace taper
