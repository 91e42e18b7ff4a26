#include "ops/pointwise/div_mode.h"
#include "ops/pointwise/ranges.h"

namespace taper {

TAPER_DEFINE_ROWS(div_mode) {
  std::vector<Row> rows;
  for (const char* mode : {"trunc", "floor"})
    for (Row& r : binary_rows<DivMode>({coarse(-9, 9), coarse(1, 3)}, {mode}))
      rows.push_back(std::move(r));
  return rows;
}

}  // namespace taper
