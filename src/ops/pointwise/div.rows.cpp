#include "ops/pointwise/div.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(div) {
  const auto by = [](Shape s) { return Draw(std::move(s)).away_from_zero(0.3); };
  return {row<Div>({{2, 3}, by({2, 3})}),   row<Div>({{2, 3}, by({3})}),
          row<Div>({{2, 1}, by({1, 3})}),   row<Div>({{0, 3}, by({3})}),
          row<Div>({{13, 131}, by({131})}), row<Div>({{2, 3, 4, 5}, by({2, 3, 4, 5})})};
}
TAPER_DEFINE_ROWS(div_mode) {
  const auto by = [](Shape s) { return Draw(std::move(s), 1, 3); };
  std::vector<Row> rows;
  for (const char* mode : {"trunc", "floor"}) {
    rows.push_back(row<DivMode>({Draw{{2, 3}, -9, 9}, by({2, 3})}, {mode}));
    rows.push_back(row<DivMode>({Draw{{13, 131}, -9, 9}, by({131})}, {mode}));
    rows.push_back(row<DivMode>({Draw{{2, 3, 4, 5}, -9, 9}, by({2, 3, 4, 5})}, {mode}));
  }
  for (Row& r : rows) r.smooth = false;
  return rows;
}

}  // namespace taper
