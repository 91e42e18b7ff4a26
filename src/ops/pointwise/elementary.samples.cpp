#include "ops/pointwise/elementary.h"
#include "ops/pointwise/ranges.h"

namespace taper {

#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define PREDICATE(name, Type, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/vectorized.inc"
#define UNARY(name, Type, node, forms, dtypes, expression, saved, gradient, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define PREDICATE(name, Type, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return unary_samples<Type>({__VA_ARGS__}); }
#define BINARY(name, Type, node, inputs, forms, dtypes, expression, saved_a, gradient_a, saved_b, \
               gradient_b, ...)                                                                   \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#define PLAIN_BINARY(name, Type, inputs, forms, dtypes, expression, ...) \
  TAPER_DEFINE_SAMPLES(name) { return binary_samples<Type>({__VA_ARGS__}); }
#include "ops/pointwise/elementary.inc"

TAPER_DEFINE_SAMPLES(signbit) { return unary_samples<SignBit>({nonsmooth(-9, 9)}); }
TAPER_DEFINE_SAMPLES(logit) {
  std::vector<SampleInput> samples = unary_samples<Logit>({smooth(0.1, 0.9)});
  const auto add = [&](double eps, std::initializer_list<Range> ranges) {
    Logit clamped;
    clamped.eps = eps;
    for (SampleInput& s : unary_samples<Logit>(ranges, clamped)) samples.push_back(std::move(s));
  };
  add(0.25, {smooth(0.3, 0.7), smooth(0.8, 2)});
  add(0.6, {smooth(0.1, 0.35), smooth(0.65, 0.9)});  // the lower limit is above the upper one
  return samples;
}
TAPER_DEFINE_SAMPLES(polygamma) {
  std::vector<SampleInput> samples;
  for (const std::int64_t n : {1, 2, 3}) {
    Polygamma o;
    o.n = n;
    for (SampleInput& s : unary_samples<Polygamma>({smooth(0.7, 3), smooth(-1.8, -1.2)}, o))
      samples.push_back(std::move(s));
  }
  return samples;
}
TAPER_DEFINE_SAMPLES(nan_to_num) {
  // Samples up to twice the largest float16, some of which are infinite in float16.
  NanToNum replaced;
  replaced.posinf = 7, replaced.neginf = -3;
  std::vector<SampleInput> samples = unary_samples<NanToNum>({smooth(-2, 2)});
  for (SampleInput& s : unary_samples<NanToNum>({nonsmooth(-1.3e5, 1.3e5)}, replaced))
    samples.push_back(std::move(s));
  return samples;
}
TAPER_DEFINE_SAMPLES(round_decimals) {
  RoundDecimals two, tens;
  two.decimals = 2, tens.decimals = -1;
  std::vector<SampleInput> samples = unary_samples<RoundDecimals>({nonsmooth(-3, 3)}, two);
  for (SampleInput& s : unary_samples<RoundDecimals>({smooth(6, 9)}, tens))
    samples.push_back(std::move(s));
  return samples;
}
TAPER_DEFINE_SAMPLES(nextafter) {
  return binary_samples<Nextafter>(
      {smooth(-1, -0.5), smooth(0.5, 1), nonsmooth(-1, 1), nonsmooth(-1, 1)});
}
TAPER_DEFINE_SAMPLES(frexp) { return unary_samples<Frexp>({smooth(1.1, 1.9), smooth(-7, -5)}); }

}  // namespace taper
