#include <cmath>

#include "ops/distance/pairwise_distances.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(pairwise_distances) {
  using O = PairwiseDistances;
  std::vector<SampleInput> samples;
  for (const double p : {1.0, 2.0, double{INFINITY}}) {
    samples.push_back(sample<O>({{5, 4}, {7, 4}}, {p}));
    samples.push_back(sample<O>({{2, 3, 19}, {2, 4, 19}}, {p}));
    samples.push_back(sample<O>({{6, 33}, TensorSpec::none()}, {p}));
  }
  return samples;
}

TAPER_DEFINE_SAMPLES(pairwise_distances_backward) {
  using O = PairwiseDistancesBackward;
  std::vector<SampleInput> samples;
  const auto distances = [](Shape s) { return TensorSpec(std::move(s), 0.5, 2); };
  for (const double p : {1.0, 2.0, double{INFINITY}}) {
    samples.push_back(sample<O>({{5, 7}, {5, 4}, {7, 4}, distances({5, 7})}, {p}));
    samples.push_back(sample<O>({{2, 3, 4}, {2, 3, 19}, {2, 4, 19}, distances({2, 3, 4})}, {p}));
    samples.push_back(sample<O>({{15}, {6, 33}, TensorSpec::none(), distances({15})}, {p}));
  }
  return samples;
}

}  // namespace taper
