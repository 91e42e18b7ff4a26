#include "ops/pointwise/hardswish.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

// Between the kinks at -3 and 3, and beyond each.
TAPER_DEFINE_ROWS(hardswish) {
  std::vector<Row> rows = unary_rows<Hardswish>(-2.9, 2.9);
  rows.push_back(row<Hardswish>({Draw({70}, 3.1, 5)}));
  rows.push_back(row<Hardswish>({Draw({70}, -5, -3.1)}));
  return rows;
}
TAPER_DEFINE_ROWS(hardswish_backward) {
  std::vector<Row> rows = gradient_rows<HardswishBackward>(-2.9, 2.9);
  rows.push_back(row<HardswishBackward>({Draw({70}), Draw({70}, 3.1, 5)}));
  rows.push_back(row<HardswishBackward>({Draw({70}), Draw({70}, -5, -3.1)}));
  return rows;
}

}  // namespace taper
