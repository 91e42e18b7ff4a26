#include "ops/random/continuous.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(uniform) { return {row<Uniform>({{2, 3}}), row<Uniform>({{4, 5}}, {{}, -2, 3})}; }
TAPER_DEFINE_ROWS(normal) { return {row<Normal>({{2, 3}}), row<Normal>({{4, 5}}, {{}, 1, 2})}; }
TAPER_DEFINE_ROWS(log_normal) { return {row<LogNormal>({{2, 3}}, {{}, 0, 0.5})}; }
TAPER_DEFINE_ROWS(exponential) { return {row<Exponential>({{2, 3}}, {{}, 1.5})}; }
TAPER_DEFINE_ROWS(cauchy) { return {row<Cauchy>({{2, 3}}, {{}, 1, 0.5})}; }
TAPER_DEFINE_ROWS(trunc_normal) {
  return {row<TruncNormal>({{2, 3}}), row<TruncNormal>({{4, 5}}, {{}, 0, 1, 2, 3})};
}

}  // namespace taper
