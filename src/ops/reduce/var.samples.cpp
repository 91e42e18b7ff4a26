#include "ops/reduce/var.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <bool Root, bool WithMean> std::vector<SampleInput> variance_samples() {
  using O = Variance<Root, WithMean>;
  return {sample<O>({{2, 3}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .correction = 0, .keepdim = true}),
          sample<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}, .correction = 2.5}),
          sample<O>({{300, 70}}, {.dim = Shape{0}}),
          sample<O>({TensorSpec({3, 1000}, 90, 110)}, {.dim = Shape{1}}),
          sample<O>({{0, 3}}, {.dim = Shape{1}})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(var) { return variance_samples<false, false>(); }
TAPER_DEFINE_SAMPLES(std) { return variance_samples<true, false>(); }
TAPER_DEFINE_SAMPLES(var_mean) { return variance_samples<false, true>(); }
TAPER_DEFINE_SAMPLES(std_mean) { return variance_samples<true, true>(); }

}  // namespace taper
