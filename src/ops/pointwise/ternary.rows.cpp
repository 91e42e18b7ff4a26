#include "ops/pointwise/ternary.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(addcmul) {
  return {row<Addcmul>({{2, 3}, {2, 3}, {2, 3}}, {.value = -2}),
          row<Addcmul>({{2, 3}, {3}, {2, 1}}, {.value = 3}), row<Addcmul>({{131}, {131}, {}}),
          row<Addcmul>({{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}})};
}
TAPER_DEFINE_ROWS(addcdiv) {
  const auto by = [](Shape s) { return Draw(std::move(s)).away_from_zero(0.3); };
  return {row<Addcdiv>({{2, 3}, {2, 3}, by({2, 3})}, {.value = -2}),
          row<Addcdiv>({{2, 3}, {3}, by({2, 1})}, {.value = 0.5}),
          row<Addcdiv>({{131}, {131}, by({})}),
          row<Addcdiv>({{2, 3, 4, 5}, {2, 3, 4, 5}, by({2, 3, 4, 5})})};
}
TAPER_DEFINE_ROWS(lerp) {
  return {row<Lerp>({{2, 3}, {2, 3}}, {0.25}), row<Lerp>({{2, 3}, {3}}, {0.75}),
          row<Lerp>({{131}, {131}}, {1.5}), row<Lerp>({{2, 3, 4, 5}, {2, 3, 4, 5}}, {0.5})};
}
TAPER_DEFINE_ROWS(lerp_tensor) {
  return {row<LerpTensor>({{2, 3}, {2, 3}, {2, 3}}), row<LerpTensor>({{2, 3}, {3}, {2, 1}}),
          row<LerpTensor>({{131}, {131}, {}}),
          row<LerpTensor>({{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}})};
}
TAPER_DEFINE_ROWS(where) {
  const auto mask = [](Shape s) { return Draw(std::move(s), -1, 1, DType::bool_); };
  return {row<Where>({mask({2, 3}), {2, 3}, {2, 3}}),
          row<Where>({mask({2, 1}), {3}, {}}),
          row<Where>({mask({131}), {131}, {1}}),
          row<Where>({mask({0, 3}), {0, 3}, {3}}),
          row<Where>({mask({2, 3, 4, 5}), {2, 3, 4, 5}, {2, 3, 4, 5}}),
          row<Where>({mask({3, 1, 1}), {2, 3, 4, 5}, {5}})};
}

}  // namespace taper
