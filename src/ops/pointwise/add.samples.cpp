#include "ops/pointwise/add.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <class O> std::vector<SampleInput> sum_samples() {
  return {sample<O>({{2, 3}, {2, 3}}),
          sample<O>({{2, 3}, {3}}, {.alpha = -2}),
          sample<O>({{2, 1}, {1, 3}}),
          sample<O>({{5}, {4, 1, 5}}),
          sample<O>({{1}, {}}),
          sample<O>({{0, 3}, {0, 3}}),
          sample<O>({{13, 131}, {131}}, {.alpha = 3}),
          sample<O>({{3, 700}, {3, 1}}),
          sample<O>({{2, 3, 4, 5}, {2, 3, 4, 5}}),
          sample<O>({{2, 3, 4, 5}, {3, 1, 1}})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(add) { return sum_samples<Add>(); }
TAPER_DEFINE_SAMPLES(sub) { return sum_samples<Sub>(); }
TAPER_DEFINE_SAMPLES(rsub) { return sum_samples<Rsub>(); }

}  // namespace taper
