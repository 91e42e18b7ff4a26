#include "ops/reduce/prod.h"
#include "ops/rows.h"

namespace taper {
namespace {

const Draw kZeros({2, 4}, 0, 0);

}  // namespace

TAPER_DEFINE_ROWS(prod_all) {
  return {row<ProdAll>({{2, 3}}), row<ProdAll>({{2, 2, 2, 3}}), row<ProdAll>({{0}}),
          row<ProdAll>({kZeros}), row<ProdAll>({Shape{}}, {.dtype = DType::f64})};
}
TAPER_DEFINE_ROWS(prod) {
  return {row<Prod>({{2, 3}}, {.dim = 1}),
          row<Prod>({{2, 3, 4, 5}}, {.dim = -3, .keepdim = true}),
          row<Prod>({{5, 3}}, {.dtype = DType::f64}),
          row<Prod>({kZeros}, {.dim = 1}),
          row<Prod>({{0, 3}}),
          row<Prod>({Shape{}})};
}
TAPER_DEFINE_ROWS(prod_others) {
  return {row<ProdOthers>({{2, 3}}, {.dim = 1}),
          row<ProdOthers>({{2, 3, 4, 5}}, {.dim = -3}),
          row<ProdOthers>({kZeros}, {.dim = 1}),
          row<ProdOthers>({Draw({2, 2}, 0, 0)}),
          row<ProdOthers>({{0, 3}}),
          row<ProdOthers>({Shape{}})};
}

}  // namespace taper
