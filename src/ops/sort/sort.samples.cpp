#include "ops/sort/sort.h"
#include "ops/indexing/index_samples.h"
#include "ops/sort/search.h"

namespace taper {

TAPER_DEFINE_SAMPLES(sort) {
  return {sample<Sort>({{3, 4}}),
          sample<Sort>({{2, 3, 4, 5}}, {.dim = 1, .descending = true}),
          sample<Sort>({{2, 300}}, {.dim = -1, .stable = true}),
          sample<Sort>({{300, 2}}, {.dim = 0, .descending = true}),
          sample<Sort>({Shape{}}),
          sample<Sort>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(topk) {
  return {sample<TopK>({{3, 5}}, {.k = 2}),
          sample<TopK>({{2, 3, 4, 5}}, {.k = 2, .dim = 1, .largest = false}),
          sample<TopK>({{2, 200}}, {.k = 3}),
          sample<TopK>({{7}}, {.k = 4, .sorted = false}),
          sample<TopK>({Shape{}}),
          sample<TopK>({{2, 3}}, {.k = 0})};
}
TAPER_DEFINE_SAMPLES(kthvalue) {
  return {sample<KthValue>({{3, 5}}, {.k = 2}),
          sample<KthValue>({{2, 3, 4, 5}}, {.k = 3, .dim = 1, .keepdim = true}),
          sample<KthValue>({{40}}, {.k = 40}), sample<KthValue>({Shape{}}),
          sample<KthValue>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(mode) {
  return {sample<Mode>({{3, 5}}), sample<Mode>({{2, 3, 4, 5}}, {.dim = 1, .keepdim = true}),
          sample<Mode>({{40}}, {.dim = 0}), sample<Mode>({Shape{}}), sample<Mode>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(lexsort) {
  return {sample<LexSort>({{6, 3}}), sample<LexSort>({{40, 1}}), sample<LexSort>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(searchsorted) {
  // A vector of equal elements is sorted. Sorted elements of other samples are random, whose
  // insertion points follow from the bisection.
  using O = SearchSorted;
  return {sample<O>({{7}, {2, 3}}), sample<O>({{2, 7}, {2, 3}}, {.right = true}),
          sample<O>({{2, 3, 5}, {2, 3, 4}, indices({2, 3, 5}, 0, 5)}, {.out_int32 = true}),
          sample<O>({{7}, Shape{}}), sample<O>({{0}, {2}})};
}

}  // namespace taper
