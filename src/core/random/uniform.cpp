#include <algorithm>

#include "core/random/elements.h"
#include "core/random/vector_math.h"

namespace taper::random {
namespace {

void fill_range(Engine& engine, double* out, std::int64_t n, double low, double high) {
  for_each_uniform53(engine, n, [&](std::int64_t i, double u) { out[i] = u; });
  scale_and_shift(out, n, high - low, low);
}

void fill_range(Engine& engine, float* out, std::int64_t n, double low, double high) {
  const auto first = static_cast<float>(low), last = static_cast<float>(high);
  for_each_uniform24(engine, n, [&](std::int64_t i, float u) { out[i] = u; });
  scale_and_shift(out, n, last - first, first);
}

// Rounding to 16 bits can produce `high`, which the interval excludes. Such an element is set to
// `low`.
template <class T>
void fill_range(Engine& engine, T* out, std::int64_t n, double low, double high) {
  const auto first = static_cast<float>(low), last = static_cast<float>(high);
  const T narrow_first(first), narrow_last(last);
  const auto end = static_cast<float>(narrow_last);
  constexpr std::int64_t kChunk = 1024;
  float chunk[kChunk];
  for (std::int64_t done = 0; done < n; done += kChunk) {
    const std::int64_t m = std::min(n - done, kChunk);
    fill_range(engine, chunk, m, low, high);
    for (std::int64_t i = 0; i < m; ++i) {
      const T x(chunk[i]);
      out[done + i] = static_cast<float>(x) == end ? narrow_first : x;
    }
  }
}

}  // namespace

void fill_uniform(Engine& engine, Target out, double low, double high) {
  visit_floating("uniform_", out,
                 [&](auto* data) { fill_range(engine, data, out.size, low, high); });
}

}  // namespace taper::random
