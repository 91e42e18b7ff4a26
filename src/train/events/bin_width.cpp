// Widths of bins by the methods of numpy.histogram_bin_edges.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/check.h"
#include "train/events/histogram.h"

namespace taper::train::events {
namespace {

using Samples = std::span<const double>;

double count_of(Samples x) { return static_cast<double>(x.size()); }

double range_of(Samples x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return *high - *low;
}

double mean_of(Samples x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / count_of(x);
}

double standard_deviation(Samples x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / count_of(x));
}

/// Returns a quantile of sorted values by linear interpolation.
double quantile(Samples sorted, double q) {
  const double position = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(position);
  const double a = sorted[below], b = sorted[std::min(below + 1, sorted.size() - 1)],
               t = position - static_cast<double>(below);
  return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

/// Square root of the number of values.
double width_sqrt(Samples x) { return range_of(x) / std::sqrt(count_of(x)); }
double width_sturges(Samples x) { return range_of(x) / (std::log2(count_of(x)) + 1); }
double width_rice(Samples x) { return range_of(x) / (2 * std::pow(count_of(x), 1.0 / 3)); }
double width_scott(Samples x) {
  return std::pow(24 * std::sqrt(std::numbers::pi) / count_of(x), 1.0 / 3) * standard_deviation(x);
}

/// Freedman and Diaconis: based on the interquartile range.
double width_fd(Samples x) {
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  return 2 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) * std::pow(count_of(x), -1.0 / 3);
}

double width_auto(Samples x) {
  return std::min(std::max(width_fd(x), width_sqrt(x) / 2), width_sturges(x));
}

/// Doane: Sturges' rule, corrected for the skewness of the values.
double width_doane(Samples x) {
  if (x.size() <= 2) return 0;
  const double n = count_of(x), mean = mean_of(x), sigma = standard_deviation(x),
               skewness_deviation = std::sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
  if (!(sigma > 0)) return 0;
  double sum = 0;
  for (const double v : x) sum += std::pow((v - mean) / sigma, 3);
  return range_of(x) / (1 + std::log2(n) + std::log2(1 + std::abs(sum / n) / skewness_deviation));
}

/// Stone: minimizes an estimate of the integrated squared error.
double width_stone(Samples x) {
  const double n = count_of(x), range = range_of(x);
  if (x.size() <= 1 || range == 0) return 0;
  const std::int64_t limit = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(n)));
  std::int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t count = 1; count <= limit; ++count) {
    double squares = 0;
    for (const std::int64_t k : count_equal_bins(x, count).counts)
      squares += static_cast<double>(k) / n * (static_cast<double>(k) / n);
    const double loss = (2 - (n + 1) * squares) / (range / static_cast<double>(count));
    if (loss < least) least = loss, best = count;
  }
  return range / static_cast<double>(best);
}

}  // namespace

double estimate_bin_width(std::span<const double> values, const std::string& method) {
  static constexpr std::pair<const char*, double (*)(Samples)> kMethods[] = {
      {"auto", width_auto},   {"doane", width_doane},    {"fd", width_fd},
      {"rice", width_rice},   {"scott", width_scott},    {"sqrt", width_sqrt},
      {"stone", width_stone}, {"sturges", width_sturges}};
  for (const auto& [name, width] : kMethods)
    if (method == name) return width(values);
  fail<ValueError>("add_histogram: '{}' is not a valid estimator for `bins`", method);
}

}  // namespace taper::train::events
