#include "ops/pointwise/ternary.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(addcmul) {
  return {sample<Addcmul>({{2, 3}, {2, 3}, {2, 3}}, {.value = -2}),
          sample<Addcmul>({{2, 3}, {3}, {2, 1}}, {.value = 3}), sample<Addcmul>({{131}, {131}, {}}),
          sample<Addcmul>({{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}})};
}
TAPER_DEFINE_SAMPLES(addcdiv) {
  const auto divisor = [](Shape s) { return TensorSpec(std::move(s)).with_min_abs(0.3); };
  return {sample<Addcdiv>({{2, 3}, {2, 3}, divisor({2, 3})}, {.value = -2}),
          sample<Addcdiv>({{2, 3}, {3}, divisor({2, 1})}, {.value = 0.5}),
          sample<Addcdiv>({{131}, {131}, divisor({})}),
          sample<Addcdiv>({{2, 3, 4, 5}, {2, 3, 4, 5}, divisor({2, 3, 4, 5})})};
}
TAPER_DEFINE_SAMPLES(lerp) {
  return {sample<Lerp>({{2, 3}, {2, 3}}, {0.25}), sample<Lerp>({{2, 3}, {3}}, {0.75}),
          sample<Lerp>({{131}, {131}}, {1.5}), sample<Lerp>({{2, 3, 4, 5}, {2, 3, 4, 5}}, {0.5})};
}
TAPER_DEFINE_SAMPLES(lerp_tensor) {
  return {sample<LerpTensor>({{2, 3}, {2, 3}, {2, 3}}), sample<LerpTensor>({{2, 3}, {3}, {2, 1}}),
          sample<LerpTensor>({{131}, {131}, {}}),
          sample<LerpTensor>({{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}})};
}
TAPER_DEFINE_SAMPLES(where) {
  const auto mask = [](Shape s) { return TensorSpec(std::move(s), -1, 1, DType::bool_); };
  return {sample<Where>({mask({2, 3}), {2, 3}, {2, 3}}),
          sample<Where>({mask({2, 1}), {3}, {}}),
          sample<Where>({mask({131}), {131}, {1}}),
          sample<Where>({mask({0, 3}), {0, 3}, {3}}),
          sample<Where>({mask({2, 3, 4, 5}), {2, 3, 4, 5}, {2, 3, 4, 5}}),
          sample<Where>({mask({3, 1, 1}), {2, 3, 4, 5}, {5}})};
}

}  // namespace taper
