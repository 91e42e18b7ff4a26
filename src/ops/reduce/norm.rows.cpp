#include <cmath>

#include "ops/reduce/norm.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(linalg_vector_norm) {
  using O = VectorNorm;
  std::vector<Row> rows = {row<O>({{2, 3}}),
                           row<O>({{2, 3, 4}}, {.dim = Shape{1}}),
                           row<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}, .keepdim = true}),
                           row<O>({{300, 70}}, {.dim = Shape{0}}),
                           row<O>({{3, 1000}}, {.dim = Shape{1}, .dtype = DType::f64}),
                           row<O>({{0, 3}}, {.dim = Shape{0}}),
                           row<O>({Shape{}})};
  for (const double p :
       {0.5, 1.0, 1.5, 3.0, 4.0, -1.0, -2.5, double{INFINITY}, -double{INFINITY}}) {
    rows.push_back(row<O>({Draw({7, 9}, -1, 1).away_from_zero(0.1)}, {.ord = p}));
    rows.push_back(
        row<O>({Draw({2, 3, 4}, -1, 1).away_from_zero(0.1)}, {.ord = p, .dim = Shape{-1, 0}}));
  }
  rows.push_back(coarse(row<O>({{5, 6}}, {.ord = 0, .dim = Shape{1}})));
  return rows;
}

}  // namespace taper
