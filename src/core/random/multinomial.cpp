#include <algorithm>
#include <numeric>
#include <vector>

#include "core/random/elements.h"

namespace taper::random {
namespace {

/// Draws without replacement by an exponential race: category i has an exponential arrival time of
/// rate w[i]. The samples are the categories that arrive first.
template <class T> void sample_without_replacement(Engine& engine, std::int64_t* out,
                                                   const T* weights, const Multinomial& m) {
  using W = Wide<T>;
  const auto n = static_cast<std::size_t>(m.categories);
  std::vector<T> arrival_times(n);
  std::vector<W> race_key(n);
  std::vector<std::int64_t> order(n);
  for (std::int64_t row = 0; row < m.rows; ++row, weights += n, out += m.samples) {
    fill_exponential(engine, Target(std::span<T>(arrival_times)), 1);
    for (std::size_t i = 0; i < n; ++i) {
      const W w = static_cast<W>(weights[i]);
      race_key[i] = w == 0 ? 0 : round_to<T>(w / static_cast<W>(arrival_times[i]));  // avoids 0 / 0
    }
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + m.samples, order.end(),
                      [&](std::int64_t a, std::int64_t b) {
                        const W x = race_key[static_cast<std::size_t>(a)];
                        const W y = race_key[static_cast<std::size_t>(b)];
                        return x > y || (x == y && a < b);
                      });
    std::copy_n(order.begin(), m.samples, out);
  }
}

/// Draws with replacement: each sample by a binary search in the cumulative sums of the weights.
template <class T> void sample_with_replacement(Engine& engine, std::int64_t* out, const T* weights,
                                                const Multinomial& m) {
  using W = Wide<T>;
  const auto n = static_cast<std::size_t>(m.categories);
  std::vector<W> sums(n);
  for (std::int64_t row = 0; row < m.rows; ++row, weights += n, out += m.samples) {
    W sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sums[i] = sum = round_to<T>(sum + static_cast<W>(weights[i]));
    for (W& s : sums) s = round_to<T>(s / sum);
    sums.back() = 1;
    for (std::int64_t i = 0; i < m.samples; ++i) {
      const double u = engine.uniform53();
      const auto found = std::lower_bound(sums.begin(), sums.end(), u,
                                          [](W s, double v) { return static_cast<double>(s) < v; });
      out[i] = found - sums.begin();
    }
  }
}

}  // namespace

void fill_multinomial(Engine& engine, std::int64_t* out, const Multinomial& m) {
  visit_floating("multinomial", {const_cast<void*>(m.weights), m.dtype, m.rows * m.categories},
                 [&]<class T>(T* weights) {
                   if (!m.replacement || m.samples == 1) {
                     sample_without_replacement<T>(engine, out, weights, m);
                   } else {
                     sample_with_replacement<T>(engine, out, weights, m);
                   }
                 });
}

}  // namespace taper::random
