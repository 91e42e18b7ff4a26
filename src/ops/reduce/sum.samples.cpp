#include "ops/reduce/sum.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <class O> std::vector<SampleInput> reduction_samples() {
  return {sample<O>({{2, 3}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{1}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          sample<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}}),
          sample<O>({{2, 3, 4, 5}}, {.dim = Shape{1}}),
          sample<O>({{300, 70}}, {.dim = Shape{0}}),
          sample<O>({{3, 1000}}, {.dim = Shape{1}, .dtype = DType::f64}),
          sample<O>({Shape{}}, {.dim = Shape{0}})};
}

/// Restricts a sample of `mean` to floating-point inputs unless it specifies the result dtype,
/// which the mean of integers requires.
template <class O> SampleInput for_mean(SampleInput r) {
  if (static_cast<const O*>(r.attributes.get())->dtype) return r;
  return only_for(DTypeSet::floating, std::move(r));
}

}  // namespace

TAPER_DEFINE_SAMPLES(sum) {
  auto samples = reduction_samples<Sum>();
  samples.push_back(sample<Sum>({{0, 3}}, {.dim = Shape{0}}));
  return samples;
}
TAPER_DEFINE_SAMPLES(mean) {
  auto samples = reduction_samples<Mean>();
  for (SampleInput& r : samples) r = for_mean<Mean>(std::move(r));
  return samples;
}
TAPER_DEFINE_SAMPLES(sum_all) {
  return {sample<SumAll>({{2, 3}}), sample<SumAll>({{7, 9, 11, 13}}), sample<SumAll>({{150, 301}}),
          sample<SumAll>({{0}})};
}
TAPER_DEFINE_SAMPLES(mean_all) {
  return {for_mean<MeanAll>(sample<MeanAll>({{2, 3}})),
          for_mean<MeanAll>(sample<MeanAll>({{7, 9, 11, 13}})),
          for_mean<MeanAll>(sample<MeanAll>({{2, 3}}, {.dtype = DType::f64}))};
}

}  // namespace taper
