#include "ops/pointwise/pow.h"
#include "ops/pointwise/ranges.h"

namespace taper {

TAPER_DEFINE_ROWS(pow) {
  std::vector<Row> rows = unary_rows<PowScalar>({smooth(-2, 2)}, {2});
  for (Scalar e : {Scalar(0), Scalar(1), Scalar(3), Scalar(7), Scalar(-1), Scalar(-2)})
    rows.push_back(row<PowScalar>({smooth(-2, 2, 0.5).draw({131})}, {e}));
  for (Scalar e : {Scalar(0.5), Scalar(-0.5), Scalar(2.5), Scalar(-1.3)})
    rows.push_back(row<PowScalar>({smooth(0.5, 2).draw({131})}, {e}));
  return rows;
}
TAPER_DEFINE_ROWS(pow_tensor) { return binary_rows<PowTensor>({smooth(0.5, 2), smooth(-2, 2)}); }
TAPER_DEFINE_ROWS(pow_number) {
  std::vector<Row> rows = unary_rows<PowNumber>({smooth(-2, 2)}, {2});
  rows.push_back(row<PowNumber>({smooth(0.5, 2).draw({131})}, {0.3}));
  rows.push_back(row<PowNumber>({smooth(0.5, 2).draw({131})}, {0}));
  rows.back().smooth = false;  // log(0), masked by where()
  return rows;
}

}  // namespace taper
