#include "ops/reduce/scan.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(cumprod) {
  return {sample<CumProd>({{2, 3}}), sample<CumProd>({{2, 3, 4, 5}}, {.dim = -3}),
          sample<CumProd>({{3, 4}}, {.dim = 1, .dtype = DType::f64}), sample<CumProd>({{0, 3}}),
          sample<CumProd>({Shape{}})};
}
TAPER_DEFINE_SAMPLES(cummax) {
  using O = CumExtreme<true>;
  return {sample<O>({{5, 3}}), sample<O>({{2, 3, 4, 5}}, {.dim = -3}), sample<O>({{0, 3}}),
          sample<O>({Shape{}})};
}
TAPER_DEFINE_SAMPLES(cummin) {
  using O = CumExtreme<false>;
  return {sample<O>({{5, 3}}), sample<O>({{2, 3, 4, 5}}, {.dim = 1}), sample<O>({Shape{}})};
}
TAPER_DEFINE_SAMPLES(logcumsumexp) {
  using O = LogCumSumExp;
  return {sample<O>({{5, 3}}), sample<O>({{2, 3, 4, 5}}, {.dim = -3}), sample<O>({{0, 3}}),
          sample<O>({Shape{}})};
}

}  // namespace taper
