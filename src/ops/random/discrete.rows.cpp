#include "ops/random/discrete.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(random) { return {row<Random>({{2, 3}}), row<Random>({{4, 5}}, {{}, -3, 7})}; }
TAPER_DEFINE_ROWS(bernoulli) {
  return {row<Bernoulli>({{2, 3}}, {{}, 0.25}), row<Bernoulli>({{2, 3}, Draw({3}, 0, 1)})};
}
TAPER_DEFINE_ROWS(geometric) { return {row<Geometric>({{2, 3}}, {{}, 0.3})}; }

}  // namespace taper
