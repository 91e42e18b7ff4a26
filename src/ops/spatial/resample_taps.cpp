#include "ops/spatial/resample_taps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace taper::resample {
namespace {

/// Returns the distance between output elements in input elements.
template <class T> T step_of(const Request& r) {
  if (r.align_corners && r.filter >= Filter::linear)
    return r.out > 1 ? static_cast<T>(r.in - 1) / static_cast<T>(r.out - 1) : T(0);
  if (r.scale && *r.scale > 0) return static_cast<T>(1.0 / *r.scale);
  return static_cast<T>(r.in) / static_cast<T>(r.out);
}

/// Converts a position to an index in [0, limit). Positions beyond the range of int64 are possible
/// for scales close to zero.
template <class T> std::int64_t clamp_index(T position, std::int64_t limit) {
  if (!(position > 0)) return 0;
  return position < static_cast<T>(limit) ? static_cast<std::int64_t>(position) : limit - 1;
}

/// Returns the input element at a position; positions of float64 are rounded to float first, as in
/// PyTorch.
template <class T> std::int64_t nearest_index(const Request& r, T position) {
  return clamp_index(static_cast<float>(position), r.in);
}
template <class T> std::int64_t nearest_source(const Request& r, T step, std::int64_t o) {
  if (r.ignores_scale_of_copies && r.out == r.in) return o;
  if (r.ignores_scale_of_copies && r.out == 2 * r.in) return o / 2;
  return nearest_index(r, static_cast<T>(o) * step);
}

// Convolution kernel of cubic interpolation. Antialiasing uses the parameter of Pillow.
double cubic_filter(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}
double sinc(double x) { return x == 0 ? 1 : std::sin(M_PI * x) / (M_PI * x); }
double smoothing_filter(Filter f, double x) {
  if (f == Filter::cubic) return cubic_filter(x, -0.5);
  if (f == Filter::lanczos) return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
  return std::max(1 - std::abs(x), 0.0);
}

// Mean of a region, as of adaptive pooling.
void add_area(const Request& r, std::int64_t o, Taps& taps) {
  const std::int64_t begin = o * r.in / r.out, end = ((o + 1) * r.in + r.out - 1) / r.out;
  for (std::int64_t i = begin; i < end; ++i) taps.add(i, 1 / static_cast<double>(end - begin));
}

template <class T> void add_linear(const Request& r, T step, std::int64_t o, Taps& taps) {
  if (r.in == r.out) return taps.add(o, 1);
  const T at = r.align_corners ? step * static_cast<T>(o)
                               : std::max(step * (static_cast<T>(o) + T(0.5)) - T(0.5), T(0));
  const std::int64_t first = clamp_index(at, r.in);
  const T rest = std::clamp(at - static_cast<T>(first), T(0), T(1));
  taps.add(first, T(1) - rest);
  taps.add(std::min(first + 1, r.in - 1), rest);
}

template <class T> void add_cubic(const Request& r, T step, std::int64_t o, Taps& taps) {
  const T at =
      r.align_corners ? step * static_cast<T>(o) : step * (static_cast<T>(o) + T(0.5)) - T(0.5);
  const std::int64_t last = r.in - 1;
  const T floor = std::min(std::floor(at), static_cast<T>(last));
  const double rest = std::clamp(static_cast<double>(at - floor), 0.0, 1.0);
  const auto first = static_cast<std::int64_t>(std::max(floor, T(-2)));
  for (std::int64_t k = -1; k <= 2; ++k)
    taps.add(std::clamp<std::int64_t>(first + k, 0, last),
             cubic_filter(rest - static_cast<double>(k), -0.75));
}

template <class T> void add_smoothed(const Request& r, T step, std::int64_t o, Taps& taps) {
  const T radius = r.filter == Filter::linear ? T(1) : r.filter == Filter::cubic ? T(2) : T(3);
  const T width = std::max(step, T(1)), support = radius * width;
  const T center = step * (static_cast<T>(o) + T(0.5));
  const std::int64_t begin = clamp_index(center - support + T(0.5), r.in + 1),
                     end = clamp_index(center + support + T(0.5), r.in + 1);
  std::vector<T> weights;
  T sum = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const T x = (static_cast<T>(i) - center + T(0.5)) / width;
    weights.push_back(static_cast<T>(smoothing_filter(r.filter, static_cast<double>(x))));
    sum += weights.back();
  }
  for (std::int64_t i = begin; i < end; ++i)
    taps.add(i, sum == 0 ? T(0) : weights[static_cast<std::size_t>(i - begin)] / sum);
}

/// Adds up the weights of border elements that an output refers to repeatedly.
Taps combine_repeated(const Taps& taps) {
  Taps combined;
  for (std::size_t o = 0; o + 1 < taps.begin.size(); ++o) {
    const auto begin = static_cast<std::size_t>(taps.begin[o]);
    for (std::size_t k = begin; k < static_cast<std::size_t>(taps.begin[o + 1]); ++k)
      if (k > begin && taps.index[k] == combined.index.back())
        combined.weight.back() += taps.weight[k];
      else
        combined.add(taps.index[k], taps.weight[k]);
    combined.finish();
  }
  return combined;
}

}  // namespace

std::optional<Filter> find_filter(std::string_view mode) {
  static constexpr std::array<std::pair<std::string_view, Filter>, 8> kFilters{{
      {"area", Filter::area},
      {"nearest", Filter::nearest},
      {"nearest-exact", Filter::nearest_exact},
      {"linear", Filter::linear},
      {"bilinear", Filter::linear},
      {"trilinear", Filter::linear},
      {"bicubic", Filter::cubic},
      {"lanczos", Filter::lanczos},
  }};
  for (const auto& [name, filter] : kFilters)
    if (name == mode) return filter;
  return std::nullopt;
}

template <class T> Taps make_taps(const Request& r) {
  const T step = step_of<T>(r);
  Taps taps;
  for (std::int64_t o = 0; o < r.out; ++o) {
    if (r.filter == Filter::area)
      add_area(r, o, taps);
    else if (r.filter == Filter::nearest)
      taps.add(nearest_source(r, step, o), 1);
    else if (r.filter == Filter::nearest_exact)
      taps.add(nearest_index(r, (static_cast<T>(o) + T(0.5)) * step), 1);
    else if (r.antialias)
      add_smoothed(r, step, o, taps);
    else if (r.filter == Filter::linear)
      add_linear(r, step, o, taps);
    else
      add_cubic(r, step, o, taps);
    taps.finish();
  }
  return taps;
}
template Taps make_taps<float>(const Request&);
template Taps make_taps<double>(const Request&);

int quantize(Taps& taps) {
  taps = combine_repeated(taps);
  const double max =
      taps.weight.empty() ? 1 : *std::max_element(taps.weight.begin(), taps.weight.end());
  int bits = 0;
  while (bits < 22 && static_cast<int>(0.5 + max * (1 << (bits + 1))) < (1 << 15)) ++bits;
  for (double& w : taps.weight) w = std::trunc(w * (1 << bits) + (w < 0 ? -0.5 : 0.5));
  return bits;
}

Taps transpose(const Taps& t, std::int64_t in) {
  Taps out;
  out.begin.assign(static_cast<std::size_t>(in) + 1, 0);
  out.index.resize(t.index.size()), out.weight.resize(t.weight.size());
  for (const std::int64_t i : t.index) ++out.begin[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  std::vector<std::int64_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t o = 0; o + 1 < t.begin.size(); ++o)
    for (auto k = static_cast<std::size_t>(t.begin[o]);
         k < static_cast<std::size_t>(t.begin[o + 1]); ++k) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(t.index[k])]++);
      out.index[to] = static_cast<std::int64_t>(o), out.weight[to] = t.weight[k];
    }
  return out;
}

}  // namespace taper::resample
