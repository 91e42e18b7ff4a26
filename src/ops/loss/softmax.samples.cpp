#include "ops/loss/softmax.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <bool Log> std::vector<SampleInput> forward_samples() {
  std::vector<SampleInput> samples = {
      sample<Softmax<Log>>({{2, 3}}, {.dim = 1}), sample<Softmax<Log>>({{5, 19}}, {.dim = -1}),
      sample<Softmax<Log>>({{3, 4, 5}}, {.dim = 0}),
      sample<Softmax<Log>>({{2, 3, 4, 5}}, {.dim = 1}),
      // 32 is the largest size of the rows that are computed transposed.
      sample<Softmax<Log>>({{5, 32}}, {.dim = 1}), sample<Softmax<Log>>({Shape{}}, {.dim = 0}),
      sample<Softmax<Log>>({{70, 10}}, {.dim = 1})};
  for (SampleInput& r : samples) r = only_for(DTypeSet::floating, std::move(r));
  samples.push_back(sample<Softmax<Log>>({{2, 3}}, {.dim = 1, .dtype = DType::f64}));
  return samples;
}

template <bool Log> std::vector<SampleInput> backward_samples() {
  return {sample<SoftmaxBackward<Log>>({{2, 3}, {2, 3}}, {.dim = 1}),
          sample<SoftmaxBackward<Log>>({{5, 19}, {5, 19}}, {.dim = -1}),
          sample<SoftmaxBackward<Log>>({{2, 3, 4, 5}, {2, 3, 4, 5}}, {.dim = 1})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(softmax) { return forward_samples<false>(); }
TAPER_DEFINE_SAMPLES(log_softmax) { return forward_samples<true>(); }
TAPER_DEFINE_SAMPLES(softmax_backward_data) { return backward_samples<false>(); }
TAPER_DEFINE_SAMPLES(log_softmax_backward_data) { return backward_samples<true>(); }

}  // namespace taper
