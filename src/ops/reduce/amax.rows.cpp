#include "ops/reduce/amax.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <bool Largest> std::vector<Row> over_dims() {
  using O = ExtremeOver<Largest, false>;
  return {row<O>({{2, 3}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          row<O>({{2, 3, 4, 5}}, {.dim = Shape{1}}),
          row<O>({{300, 70}}, {.dim = Shape{0}}),
          row<O>({Shape{}}, {.dim = Shape{0}}),
          row<O>({{0, 3}}, {.dim = Shape{1}})};
}
template <bool Largest> std::vector<Row> over_all() {
  using O = ExtremeOver<Largest, true>;
  return {row<O>({{2, 3}}), row<O>({{7, 9, 11, 13}}), row<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_ROWS(amax) { return over_dims<true>(); }
TAPER_DEFINE_ROWS(amin) { return over_dims<false>(); }
TAPER_DEFINE_ROWS(max_all) { return over_all<true>(); }
TAPER_DEFINE_ROWS(min_all) { return over_all<false>(); }

}  // namespace taper
