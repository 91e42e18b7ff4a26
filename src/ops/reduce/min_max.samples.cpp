#include "ops/reduce/min_max.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <bool Largest> std::vector<SampleInput> along_samples() {
  using O = MinMax<Largest>;
  return {sample<O>({{2, 3}}, {.dim = 1}), sample<O>({{5, 70}}, {.dim = -1, .keepdim = true}),
          sample<O>({{2, 3, 4, 5}}, {.dim = 1}), sample<O>({Shape{}}, {.dim = 0}),
          sample<O>({{0, 3}}, {.dim = 1})};
}
template <bool Largest> std::vector<SampleInput> arg_samples() {
  using O = ArgMinMax<Largest>;
  return {sample<O>({{2, 3}}), sample<O>({{5, 70}}, {.dim = 1}),
          sample<O>({{2, 3, 4, 5}}, {.dim = -3}), sample<O>({{2, 3}}, {.dim = 0, .keepdim = true}),
          sample<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(max) { return along_samples<true>(); }
TAPER_DEFINE_SAMPLES(min) { return along_samples<false>(); }
TAPER_DEFINE_SAMPLES(argmax) { return arg_samples<true>(); }
TAPER_DEFINE_SAMPLES(argmin) { return arg_samples<false>(); }

}  // namespace taper
