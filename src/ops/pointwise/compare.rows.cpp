#include "ops/pointwise/compare.h"
#include "ops/rows.h"

namespace taper {
namespace {

// The operands of half of the rows are bools among numbers, so that many are equal.
template <class O> std::vector<Row> comparison_rows() {
  const auto few = [](Shape s) { return Draw(std::move(s), -1, 2, DType::bool_); };
  std::vector<Row> all = {row<O>({{2, 3}, {2, 3}}),  row<O>({{2, 1}, few({1, 3})}),
                          row<O>({{131}, {131}}),    row<O>({few({131}), few({131})}),
                          row<O>({{0, 3}, {3}}),     row<O>({{2, 3, 4, 5}, {2, 3, 4, 5}}),
                          row<O>({{2, 3, 4, 5}, {}})};
  for (Row& r : all) r.smooth = false;
  return all;
}

}  // namespace

TAPER_DEFINE_ROWS(eq) { return comparison_rows<Eq>(); }
TAPER_DEFINE_ROWS(ne) { return comparison_rows<Ne>(); }
TAPER_DEFINE_ROWS(lt) { return comparison_rows<Lt>(); }
TAPER_DEFINE_ROWS(le) { return comparison_rows<Le>(); }
TAPER_DEFINE_ROWS(gt) { return comparison_rows<Gt>(); }
TAPER_DEFINE_ROWS(ge) { return comparison_rows<Ge>(); }

}  // namespace taper
