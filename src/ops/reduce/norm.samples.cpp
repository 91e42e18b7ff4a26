#include <cmath>

#include "ops/reduce/norm.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(linalg_vector_norm) {
  using O = VectorNorm;
  std::vector<SampleInput> samples = {
      sample<O>({{2, 3}}),
      sample<O>({{2, 3, 4}}, {.dim = Shape{1}}),
      sample<O>({{2, 3, 4, 5}}, {.dim = Shape{0, 2, 3}, .keepdim = true}),
      sample<O>({{300, 70}}, {.dim = Shape{0}}),
      sample<O>({{3, 1000}}, {.dim = Shape{1}, .dtype = DType::f64}),
      sample<O>({{0, 3}}, {.dim = Shape{0}}),
      sample<O>({Shape{}})};
  for (const double p :
       {0.5, 1.0, 1.5, 3.0, 4.0, -1.0, -2.5, double{INFINITY}, -double{INFINITY}}) {
    samples.push_back(sample<O>({TensorSpec({7, 9}, -1, 1).with_min_abs(0.1)}, {.ord = p}));
    samples.push_back(sample<O>({TensorSpec({2, 3, 4}, -1, 1).with_min_abs(0.1)},
                                {.ord = p, .dim = Shape{-1, 0}}));
  }
  samples.push_back(skip_gradient_check(sample<O>({{5, 6}}, {.ord = 0, .dim = Shape{1}})));
  return samples;
}

}  // namespace taper
