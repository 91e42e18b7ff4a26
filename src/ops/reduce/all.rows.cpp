#include "ops/reduce/all.h"
#include "ops/rows.h"

namespace taper {
namespace {

const Draw kMask({4, 60}, 0, 1, DType::bool_);

template <bool Any> std::vector<Row> rows_of() {
  using O = Holds<Any>;
  return {row<O>({{2, 3}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          row<O>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          row<O>({kMask}),
          row<O>({kMask}, {.dim = Shape{1}}),
          row<O>({{0, 3}}, {.dim = Shape{0}}),
          row<O>({{0}}),
          row<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_ROWS(all) { return rows_of<false>(); }
TAPER_DEFINE_ROWS(any) { return rows_of<true>(); }
TAPER_DEFINE_ROWS(count_nonzero) {
  using O = CountNonzero;
  return {row<O>({{2, 3}}), row<O>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}}), row<O>({kMask}),
          row<O>({{0, 3}}, {.dim = Shape{0}})};
}

}  // namespace taper
