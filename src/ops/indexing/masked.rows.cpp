#include "ops/indexing/masked.h"
#include "ops/rows.h"

namespace taper {
namespace {
Draw any_mask(Shape shape) { return Draw(std::move(shape), -1, 1, DType::bool_); }
}  // namespace

TAPER_DEFINE_ROWS(masked_fill) {
  using O = MaskedFill;
  return {row<O>({{2, 3}, any_mask({2, 3})}, {.value = 2.5}),
          row<O>({{131}, any_mask({131})}, {.value = -3}),
          row<O>({{2, 3, 4, 5}, any_mask({3, 1, 5})}, {.value = 1}),
          row<O>({{3}, any_mask({2, 1})}, {.value = true}),
          row<O>({{0, 3}, any_mask({3})}),
          row<O>({{2, 3, 4, 5}, any_mask({2, 3, 4, 5})}, {.value = 0.5})};
}
TAPER_DEFINE_ROWS(masked_fill_tensor) {
  using O = MaskedFillTensor;
  return {row<O>({{2, 3}, any_mask({2, 3}), Shape{}}),
          row<O>({{2, 3, 4, 5}, any_mask({3, 1, 5}), Shape{}}),
          row<O>({{131}, any_mask({131}), Draw(Shape{}, -2, 2, DType::f64)}),
          row<O>({{3}, any_mask({2, 1}), Shape{}})};
}
TAPER_DEFINE_ROWS(masked_select) {
  using O = MaskedSelect;
  return {row<O>({{2, 3}, Draw::mask({2, 3}, 4)}, {.size = 4}),
          row<O>({{2, 3, 4, 5}, Draw::mask({3, 1, 5}, 7)}, {.size = 56}),
          row<O>({{3}, Draw::mask({4, 1}, 2)}, {.size = 6}),
          row<O>({{2, 3}, Draw::mask({2, 3}, 0)}),
          row<O>({Shape{}, Draw::mask({}, 1)}, {.size = 1})};
}
TAPER_DEFINE_ROWS(masked_scatter) {
  using O = MaskedScatter;
  return {row<O>({{2, 3}, any_mask({2, 3}), {3, 2}}),
          row<O>({{2, 3, 4, 5}, any_mask({3, 1, 5}), {150}}),
          row<O>({{3}, Draw::mask({4, 1}, 2), {2, 3}}), row<O>({{0, 3}, any_mask({3}), {0}})};
}
TAPER_DEFINE_ROWS(nonzero_static) {
  using O = NonzeroStatic;
  return {row<O>({{2, 3}}, {.size = 6}), row<O>({{2, 3, 4, 5}}, {.size = 200}),
          row<O>({Draw::mask({4, 5}, 7)}, {.size = 7}), row<O>({Shape{}}, {.size = 2}),
          row<O>({{0, 3}}, {.size = 0})};
}

}  // namespace taper
