#include "ops/reduce/prod.h"
#include "ops/samples.h"

namespace taper {
namespace {

const TensorSpec kZeros({2, 4}, 0, 0);

}  // namespace

TAPER_DEFINE_SAMPLES(prod_all) {
  return {sample<ProdAll>({{2, 3}}), sample<ProdAll>({{2, 2, 2, 3}}), sample<ProdAll>({{0}}),
          sample<ProdAll>({kZeros}), sample<ProdAll>({Shape{}}, {.dtype = DType::f64})};
}
TAPER_DEFINE_SAMPLES(prod) {
  return {sample<Prod>({{2, 3}}, {.dim = 1}),
          sample<Prod>({{2, 3, 4, 5}}, {.dim = -3, .keepdim = true}),
          sample<Prod>({{5, 3}}, {.dtype = DType::f64}),
          sample<Prod>({kZeros}, {.dim = 1}),
          sample<Prod>({{0, 3}}),
          sample<Prod>({Shape{}})};
}
TAPER_DEFINE_SAMPLES(prod_others) {
  return {sample<ProdOthers>({{2, 3}}, {.dim = 1}),
          sample<ProdOthers>({{2, 3, 4, 5}}, {.dim = -3}),
          sample<ProdOthers>({kZeros}, {.dim = 1}),
          sample<ProdOthers>({TensorSpec({2, 2}, 0, 0)}),
          sample<ProdOthers>({{0, 3}}),
          sample<ProdOthers>({Shape{}})};
}

}  // namespace taper
