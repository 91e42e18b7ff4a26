#include "ops/pointwise/logic.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {
namespace {

template <class O> std::vector<Row> binary_rows() {
  const auto few = [](Shape s) { return Draw(std::move(s), -1, 1, DType::bool_); };
  std::vector<Row> all = {row<O>({{2, 3}, {2, 3}}), row<O>({{2, 1}, few({1, 3})}),
                          row<O>({few({131}), few({131})}),
                          row<O>({few({2, 3, 4, 5}), {2, 3, 4, 5}})};
  for (Row& r : all) r.smooth = false;
  return all;
}

}  // namespace

TAPER_DEFINE_ROWS(logical_and) { return binary_rows<LogicalAnd>(); }
TAPER_DEFINE_ROWS(logical_or) { return binary_rows<LogicalOr>(); }
TAPER_DEFINE_ROWS(logical_xor) { return binary_rows<LogicalXor>(); }
TAPER_DEFINE_ROWS(logical_not) { return unary_rows<LogicalNot>(-2, 2, 0, {}, false); }
// Up to twice the largest f16, so that some are infinite in it.
TAPER_DEFINE_ROWS(isnan) { return unary_rows<IsNan>(-1.3e5, 1.3e5, 0, {}, false); }
TAPER_DEFINE_ROWS(isinf) { return unary_rows<IsInf>(-1.3e5, 1.3e5, 0, {}, false); }
TAPER_DEFINE_ROWS(isfinite) { return unary_rows<IsFinite>(-1.3e5, 1.3e5, 0, {}, false); }

}  // namespace taper
