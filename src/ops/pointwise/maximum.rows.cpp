#include "ops/pointwise/maximum.h"
#include "ops/rows.h"

namespace taper {
namespace {

// Values in separate ranges and signs, so that none are near each other.
template <class O> std::vector<Row> extreme_rows() {
  const auto a = [](Shape s) { return Draw(std::move(s), -1, 1).away_from_zero(0.5); };
  const auto b = [](Shape s) { return Draw(std::move(s), -0.4, 0.4); };
  return {row<O>({a({2, 3}), b({2, 3})}), row<O>({a({2, 3}), b({3})}),
          row<O>({a({2, 1}), b({1, 3})}), row<O>({a({0, 3}), b({3})}),
          row<O>({a({131}), b({131})}),   row<O>({a({2, 3, 4, 5}), b({2, 3, 4, 5})})};
}

}  // namespace

TAPER_DEFINE_ROWS(maximum) { return extreme_rows<Maximum>(); }
TAPER_DEFINE_ROWS(minimum) { return extreme_rows<Minimum>(); }
TAPER_DEFINE_ROWS(clamp_min_tensor) { return extreme_rows<ClampMinTensor>(); }
TAPER_DEFINE_ROWS(clamp_max_tensor) { return extreme_rows<ClampMaxTensor>(); }

}  // namespace taper
