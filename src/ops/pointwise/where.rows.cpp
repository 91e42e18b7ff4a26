#include "ops/pointwise/where.h"
#include "ops/rows.h"

namespace taper {

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
