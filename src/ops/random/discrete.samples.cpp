#include "ops/random/discrete.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(random) {
  return {only_for(DTypeSet::all, sample<Random>({{2, 3}})),
          only_for(DTypeSet::floating | DTypeSet{DType::i64, DType::i32, DType::i16, DType::i8},
                   sample<Random>({{4, 5}}, {{}, -3, 7})),
          only_for(DTypeSet::no_bool | DTypeSet::barebones_unsigned,
                   sample<Random>({{4, 5}}, {{}, 2, 7}))};
}
TAPER_DEFINE_SAMPLES(bernoulli) {
  return {sample<Bernoulli>({{2, 3}}, {{}, 0.25}),
          only_for(DTypeSet::floating, sample<Bernoulli>({{2, 3}, TensorSpec({3}, 0, 1)})),
          sample<Bernoulli>({{2, 3}, TensorSpec({3}, 0, 1, DType::f32).as_constant()})};
}
TAPER_DEFINE_SAMPLES(geometric) { return {sample<Geometric>({{2, 3}}, {{}, 0.3})}; }

}  // namespace taper
