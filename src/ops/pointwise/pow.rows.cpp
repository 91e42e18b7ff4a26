#include "ops/pointwise/pow.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(pow) {
  std::vector<Row> rows = unary_rows<PowScalar>(-2, 2, 0, {2});
  for (Scalar e : {Scalar(0), Scalar(1), Scalar(3), Scalar(7), Scalar(-1), Scalar(-2)})
    rows.push_back(row<PowScalar>({Draw({131}, -2, 2).away_from_zero(0.5)}, {e}));
  for (Scalar e : {Scalar(0.5), Scalar(-0.5), Scalar(2.5), Scalar(-1.3)})
    rows.push_back(row<PowScalar>({Draw({131}, 0.5, 2)}, {e}));
  return rows;
}
TAPER_DEFINE_ROWS(pow_tensor) {
  const auto base = [](Shape s) { return Draw(std::move(s), 0.5, 2); };
  const auto exponent = [](Shape s) { return Draw(std::move(s), -2, 2); };
  return {row<PowTensor>({base({2, 3}), exponent({2, 3})}),
          row<PowTensor>({base({2, 1}), exponent({3})}),
          row<PowTensor>({base({131}), exponent({131})}),
          row<PowTensor>({base({2, 3, 4, 5}), exponent({2, 3, 4, 5})})};
}
TAPER_DEFINE_ROWS(pow_number) {
  std::vector<Row> rows = unary_rows<PowNumber>(-2, 2, 0, {2});
  rows.push_back(row<PowNumber>({Draw({131}, 0.5, 2)}, {0.3}));
  rows.push_back(row<PowNumber>({Draw({131}, 0.5, 2)}, {0}));
  rows.back().smooth = false;  // log 0, hidden by a where
  return rows;
}

}  // namespace taper
