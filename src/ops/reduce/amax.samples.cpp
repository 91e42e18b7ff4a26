#include "ops/reduce/amax.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <bool Largest> std::vector<SampleInput> dim_samples() {
  using O = MinMaxOver<Largest, false>;
  return {sample<O>({{2, 3}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          sample<O>({{2, 3, 4, 5}}, {.dim = Shape{1}}),
          sample<O>({{300, 70}}, {.dim = Shape{0}}),
          sample<O>({Shape{}}, {.dim = Shape{0}}),
          sample<O>({{0, 3}}, {.dim = Shape{1}})};
}
template <bool Largest> std::vector<SampleInput> all_dim_samples() {
  using O = MinMaxOver<Largest, true>;
  return {sample<O>({{2, 3}}), sample<O>({{7, 9, 11, 13}}), sample<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(amax) { return dim_samples<true>(); }
TAPER_DEFINE_SAMPLES(amin) { return dim_samples<false>(); }
TAPER_DEFINE_SAMPLES(max_all) { return all_dim_samples<true>(); }
TAPER_DEFINE_SAMPLES(min_all) { return all_dim_samples<false>(); }

}  // namespace taper
