#include "ops/reduce/sum.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <class O> std::vector<Row> rows_over() {
  return {row<O>({{2, 3}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          row<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          row<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}}),
          row<O>({{2, 3, 4, 5}}, {.dim = Shape{1}}),
          row<O>({{300, 70}}, {.dim = Shape{0}}),
          row<O>({{3, 1000}}, {.dim = Shape{1}, .dtype = DType::f64}),
          row<O>({Shape{}}, {.dim = Shape{0}})};
}

}  // namespace

TAPER_DEFINE_ROWS(sum) {
  auto rows = rows_over<Sum>();
  rows.push_back(row<Sum>({{0, 3}}, {.dim = Shape{0}}));
  return rows;
}
TAPER_DEFINE_ROWS(mean) { return rows_over<Mean>(); }
TAPER_DEFINE_ROWS(sum_all) {
  return {row<SumAll>({{2, 3}}), row<SumAll>({{7, 9, 11, 13}}), row<SumAll>({{150, 301}}),
          row<SumAll>({{0}})};
}
TAPER_DEFINE_ROWS(mean_all) { return {row<MeanAll>({{2, 3}}), row<MeanAll>({{7, 9, 11, 13}})}; }

}  // namespace taper
