#include "ops/random/gamma.h"
#include "ops/samples.h"

namespace taper {

// Samples depend on the generator: the gradients are compared with those of the quantiles in
// tests/random.
TAPER_DEFINE_SAMPLES(_standard_gamma) {
  return {skip_gradient_check(sample<StandardGamma>({TensorSpec({2, 3}, 0.2, 5)}))};
}
TAPER_DEFINE_SAMPLES(_standard_gamma_grad) {
  return {sample<StandardGammaGrad>({TensorSpec({2, 3}, 0.2, 5), TensorSpec({2, 3}, 0.1, 9)})};
}
TAPER_DEFINE_SAMPLES(_sample_dirichlet) {
  return {skip_gradient_check(sample<SampleDirichlet>({TensorSpec({2, 3}, 0.2, 5)}))};
}
TAPER_DEFINE_SAMPLES(_dirichlet_grad) {
  return {sample<DirichletGrad>(
      {TensorSpec({2, 3}, 0.1, 0.9), TensorSpec({2, 3}, 0.2, 5), TensorSpec({2, 3}, 6, 9)})};
}
TAPER_DEFINE_SAMPLES(binomial) {
  // Piecewise constant in both inputs: the second sample is far from a step.
  return {
      skip_gradient_check(sample<Binomial>({TensorSpec({2, 3}, 1, 60), TensorSpec({2, 3}, 0, 1)})),
      sample<Binomial>({TensorSpec({2, 3}, 1, 3), TensorSpec({2, 3}, 1e-4, 2e-4)})};
}

}  // namespace taper
