#include "ops/reduce/all.h"
#include "ops/samples.h"

namespace taper {
namespace {

const TensorSpec kMask({4, 60}, 0, 1, DType::bool_);

template <bool Any> std::vector<SampleInput> samples_of() {
  using O = AllOrAny<Any>;
  return {sample<O>({{2, 3}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          sample<O>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          sample<O>({kMask}),
          sample<O>({kMask}, {.dim = Shape{1}}),
          sample<O>({{0, 3}}, {.dim = Shape{0}}),
          sample<O>({{0}}),
          sample<O>({Shape{}})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(all) { return samples_of<false>(); }
TAPER_DEFINE_SAMPLES(any) { return samples_of<true>(); }
TAPER_DEFINE_SAMPLES(count_nonzero) {
  using O = CountNonzero;
  return {sample<O>({{2, 3}}), sample<O>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}}), sample<O>({kMask}),
          sample<O>({{0, 3}}, {.dim = Shape{0}})};
}

}  // namespace taper
