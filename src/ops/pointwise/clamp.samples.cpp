#include "ops/pointwise/clamp.h"
#include "ops/pointwise/ranges.h"

namespace taper {

TAPER_DEFINE_SAMPLES(clamp) {
  // The bounds are in the gap around 0, so that no sample is close to one.
  std::vector<SampleInput> samples =
      unary_samples<Clamp>({smooth(-2, 2, 0.3)}, {.min = -0.1, .max = 0.2});
  for (Clamp c : {Clamp{.min = 0.1, .max = {}}, Clamp{.min = {}, .max = 0.1},
                  Clamp{.min = -1, .max = 1}, Clamp{.min = 2, .max = 1}}) {
    samples.push_back(sample<Clamp>({smooth(-2, 2, 0.3).draw({131})}, c));
    samples.back().check_gradient = !c.min || c.min->is_floating();
  }
  return samples;
}
TAPER_DEFINE_SAMPLES(clamp_min) { return unary_samples<ClampMin>({smooth(-2, 2, 0.3)}, {0.1}); }
TAPER_DEFINE_SAMPLES(clamp_max) { return unary_samples<ClampMax>({smooth(-2, 2, 0.3)}, {0.1}); }
TAPER_DEFINE_SAMPLES(clamp_tensor) {
  const auto x = [](Shape s) { return TensorSpec(std::move(s), -2, 2).with_min_abs(0.7); };
  const auto low = [](Shape s) { return TensorSpec(std::move(s), -0.6, -0.1); };
  const auto high = [](Shape s) { return TensorSpec(std::move(s), 0.1, 0.6); };
  std::vector<SampleInput> samples = {
      sample<ClampTensor>({x({2, 3}), low({2, 3}), high({2, 3})}),
      sample<ClampTensor>({x({2, 3}), low({3}), high({2, 1})}),
      sample<ClampTensor>({x({2, 3, 4, 5}), low({2, 3, 4, 5}), high({2, 3, 4, 5})})};
  for (SampleInput& s : samples) s.dtypes = DTypeSet::no_bool | kOrderedUnsigned;
  samples.push_back(sample<ClampTensor>({x({131}), TensorSpec::none(), high({131})}));
  samples.push_back(sample<ClampTensor>({x({131}), low({}), TensorSpec::none()}));
  return samples;
}

}  // namespace taper
