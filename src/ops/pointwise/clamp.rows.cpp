#include "ops/pointwise/clamp.h"
#include "ops/pointwise/ranges.h"

namespace taper {

TAPER_DEFINE_ROWS(clamp) {
  // The bounds are in the gap around 0, so that no sample is close to one.
  std::vector<Row> rows = unary_rows<Clamp>({smooth(-2, 2, 0.3)}, {.min = -0.1, .max = 0.2});
  for (Clamp c : {Clamp{.min = 0.1, .max = {}}, Clamp{.min = {}, .max = 0.1},
                  Clamp{.min = -1, .max = 1}, Clamp{.min = 2, .max = 1}}) {
    rows.push_back(row<Clamp>({smooth(-2, 2, 0.3).draw({131})}, c));
    rows.back().smooth = !c.min || c.min->is_floating();
  }
  return rows;
}
TAPER_DEFINE_ROWS(clamp_min) { return unary_rows<ClampMin>({smooth(-2, 2, 0.3)}, {0.1}); }
TAPER_DEFINE_ROWS(clamp_max) { return unary_rows<ClampMax>({smooth(-2, 2, 0.3)}, {0.1}); }
TAPER_DEFINE_ROWS(clamp_tensor) {
  const auto x = [](Shape s) { return Draw(std::move(s), -2, 2).away_from_zero(0.7); };
  const auto low = [](Shape s) { return Draw(std::move(s), -0.6, -0.1); };
  const auto high = [](Shape s) { return Draw(std::move(s), 0.1, 0.6); };
  return {row<ClampTensor>({x({2, 3}), low({2, 3}), high({2, 3})}),
          row<ClampTensor>({x({2, 3}), low({3}), high({2, 1})}),
          row<ClampTensor>({x({131}), Draw::none(), high({131})}),
          row<ClampTensor>({x({131}), low({}), Draw::none()}),
          row<ClampTensor>({x({2, 3, 4, 5}), low({2, 3, 4, 5}), high({2, 3, 4, 5})})};
}

}  // namespace taper
