#include "ops/indexing/masked.h"
#include "ops/samples.h"

namespace taper {
namespace {
TensorSpec random_mask(Shape shape) { return TensorSpec(std::move(shape), -1, 1, DType::bool_); }
}  // namespace

TAPER_DEFINE_SAMPLES(masked_fill) {
  using O = MaskedFill;
  return {sample<O>({{2, 3}, random_mask({2, 3})}, {.value = 2.5}),
          sample<O>({{131}, random_mask({131})}, {.value = -3}),
          sample<O>({{2, 3, 4, 5}, random_mask({3, 1, 5})}, {.value = 1}),
          sample<O>({{3}, random_mask({2, 1})}, {.value = true}),
          sample<O>({{0, 3}, random_mask({3})}),
          sample<O>({{2, 3, 4, 5}, random_mask({2, 3, 4, 5})}, {.value = 0.5})};
}
TAPER_DEFINE_SAMPLES(masked_fill_tensor) {
  using O = MaskedFillTensor;
  return {sample<O>({{2, 3}, random_mask({2, 3}), Shape{}}),
          sample<O>({{2, 3, 4, 5}, random_mask({3, 1, 5}), Shape{}}),
          sample<O>({{131}, random_mask({131}), TensorSpec(Shape{}, -2, 2, DType::f64)}),
          sample<O>({{3}, random_mask({2, 1}), Shape{}})};
}
TAPER_DEFINE_SAMPLES(masked_select) {
  using O = MaskedSelect;
  return {sample<O>({{2, 3}, TensorSpec::mask({2, 3}, 4)}, {.size = 4}),
          sample<O>({{2, 3, 4, 5}, TensorSpec::mask({3, 1, 5}, 7)}, {.size = 56}),
          sample<O>({{3}, TensorSpec::mask({4, 1}, 2)}, {.size = 6}),
          sample<O>({{2, 3}, TensorSpec::mask({2, 3}, 0)}),
          sample<O>({Shape{}, TensorSpec::mask({}, 1)}, {.size = 1})};
}
TAPER_DEFINE_SAMPLES(masked_scatter) {
  using O = MaskedScatter;
  return {sample<O>({{2, 3}, random_mask({2, 3}), {3, 2}}),
          sample<O>({{2, 3, 4, 5}, random_mask({3, 1, 5}), {150}}),
          sample<O>({{3}, TensorSpec::mask({4, 1}, 2), {2, 3}}),
          sample<O>({{0, 3}, random_mask({3}), {0}})};
}
TAPER_DEFINE_SAMPLES(nonzero_static) {
  using O = NonzeroStatic;
  return {sample<O>({{2, 3}}, {.size = 6}), sample<O>({{2, 3, 4, 5}}, {.size = 200}),
          sample<O>({TensorSpec::mask({4, 5}, 7)}, {.size = 7}), sample<O>({Shape{}}, {.size = 2}),
          sample<O>({{0, 3}}, {.size = 0})};
}

}  // namespace taper
