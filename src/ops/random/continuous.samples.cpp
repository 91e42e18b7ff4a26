#include "ops/random/continuous.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(uniform) {
  return {sample<Uniform>({{2, 3}}), sample<Uniform>({{4, 5}}, {{}, -2, 3})};
}
TAPER_DEFINE_SAMPLES(normal) {
  return {sample<Normal>({{2, 3}}), sample<Normal>({{4, 5}}, {{}, 1, 2})};
}
TAPER_DEFINE_SAMPLES(log_normal) { return {sample<LogNormal>({{2, 3}}, {{}, 0, 0.5})}; }
TAPER_DEFINE_SAMPLES(exponential) { return {sample<Exponential>({{2, 3}}, {{}, 1.5})}; }
TAPER_DEFINE_SAMPLES(cauchy) { return {sample<Cauchy>({{2, 3}}, {{}, 1, 0.5})}; }
TAPER_DEFINE_SAMPLES(trunc_normal) {
  return {sample<TruncNormal>({{2, 3}}), sample<TruncNormal>({{4, 5}}, {{}, 0, 1, 2, 3})};
}

}  // namespace taper
