#include "ops/pointwise/gelu.h"
#include "ops/pointwise/ranges.h"

namespace taper {
namespace {

template <class O> std::vector<SampleInput> both(std::vector<SampleInput> (*draw)(const O&)) {
  std::vector<SampleInput> samples = draw({});
  for (SampleInput& s : draw({"tanh"})) samples.push_back(std::move(s));
  return samples;
}

}  // namespace

TAPER_DEFINE_SAMPLES(gelu) {
  return both<Gelu>([](const Gelu& o) {
    return unary_samples<Gelu>({smooth(-3, 3), nonsmooth(-16, 16)}, o);
  });
}
TAPER_DEFINE_SAMPLES(gelu_backward) {
  return both<GeluBackward>([](const GeluBackward& o) {
    return binary_samples<GeluBackward>(
        {smooth(-1, 1), smooth(-3, 3), nonsmooth(-1, 1), nonsmooth(-16, 16)}, o);
  });
}

}  // namespace taper
