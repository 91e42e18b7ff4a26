#include "ops/reduce/extreme.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <bool Largest> std::vector<Row> along_rows() {
  using O = Extreme<Largest>;
  return {row<O>({{2, 3}}, {.dim = 1}), row<O>({{5, 70}}, {.dim = -1, .keepdim = true}),
          row<O>({{2, 3, 4, 5}}, {.dim = 1}), row<O>({Shape{}}, {.dim = 0}),
          row<O>({{0, 3}}, {.dim = 1})};
}
template <bool Largest> std::vector<Row> arg_rows() {
  using O = ArgExtreme<Largest>;
  return {row<O>({{2, 3}}), row<O>({{5, 70}}, {.dim = 1}), row<O>({{2, 3, 4, 5}}, {.dim = -3}),
          row<O>({{2, 3}}, {.dim = 0, .keepdim = true}), row<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_ROWS(max) { return along_rows<true>(); }
TAPER_DEFINE_ROWS(min) { return along_rows<false>(); }
TAPER_DEFINE_ROWS(argmax) { return arg_rows<true>(); }
TAPER_DEFINE_ROWS(argmin) { return arg_rows<false>(); }

}  // namespace taper
