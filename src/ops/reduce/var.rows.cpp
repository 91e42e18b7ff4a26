#include "ops/reduce/var.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <bool Root, bool WithMean> std::vector<Row> spread_rows() {
  using O = Spread<Root, WithMean>;
  return {row<O>({{2, 3}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .correction = 0, .keepdim = true}),
          row<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}, .correction = 2.5}),
          row<O>({{300, 70}}, {.dim = Shape{0}}),
          row<O>({Draw({3, 1000}, 90, 110)}, {.dim = Shape{1}}),
          row<O>({{0, 3}}, {.dim = Shape{1}})};
}

}  // namespace

TAPER_DEFINE_ROWS(var) { return spread_rows<false, false>(); }
TAPER_DEFINE_ROWS(std) { return spread_rows<true, false>(); }
TAPER_DEFINE_ROWS(var_mean) { return spread_rows<false, true>(); }
TAPER_DEFINE_ROWS(std_mean) { return spread_rows<true, true>(); }

}  // namespace taper
