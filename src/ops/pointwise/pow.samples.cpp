#include "ops/pointwise/pow.h"
#include "ops/pointwise/ranges.h"

namespace taper {

// If the result is not converted to a floating-point type, the types uint16, uint32 and uint64 are
// rejected.
TAPER_DEFINE_SAMPLES(pow) {
  std::vector<SampleInput> samples = unary_samples<PowScalar>({smooth(-2, 2)}, {2});
  for (Scalar e : {Scalar(0), Scalar(1), Scalar(3), Scalar(7)})
    samples.push_back(sample<PowScalar>({smooth(-2, 2, 0.5).draw({131})}, {e}));
  for (SampleInput& s : samples) s.dtypes = DTypeSet::all;
  for (Scalar e : {Scalar(-1), Scalar(-2)})
    samples.push_back(
        only_for(DTypeSet::floating, sample<PowScalar>({smooth(-2, 2, 0.5).draw({131})}, {e})));
  for (Scalar e : {Scalar(0.5), Scalar(-0.5), Scalar(2.5), Scalar(-1.3)})
    samples.push_back(sample<PowScalar>({smooth(0.5, 2).draw({131})}, {e}));
  return samples;
}
TAPER_DEFINE_SAMPLES(pow_tensor) {
  return binary_samples<PowTensor>({smooth(0.5, 2), smooth(-2, 2)});
}
TAPER_DEFINE_SAMPLES(pow_number) {
  std::vector<SampleInput> samples = unary_samples<PowNumber>({smooth(-2, 2)}, {2});
  samples.push_back(sample<PowNumber>({smooth(0.5, 2).draw({131})}, {0}));
  samples.back().check_gradient = false;  // log(0), masked by where()
  for (SampleInput& s : samples) s.dtypes = DTypeSet::all;
  samples.push_back(sample<PowNumber>({smooth(0.5, 2).draw({131})}, {0.3}));
  return samples;
}

}  // namespace taper
