#include "ops/pointwise/div_mode.h"
#include "ops/pointwise/ranges.h"

namespace taper {

TAPER_DEFINE_SAMPLES(div_mode) {
  std::vector<SampleInput> samples;
  for (const char* mode : {"trunc", "floor"})
    for (SampleInput& r : binary_samples<DivMode>(
             {nonsmooth(-9, 9), nonsmooth(1, 3), smooth(4.3, 4.9), smooth(2, 2.1)}, {mode}))
      samples.push_back(std::move(r));
  return samples;
}

}  // namespace taper
