#include "train/events/histogram.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/check.h"
#include "core/never_destroyed.h"

namespace taper::train::events {
namespace {

constexpr std::int64_t kMaxBins = std::int64_t{1} << 27;

/// Returns the default edges of TensorBoard: powers of 1.1 from 1e-12 to 1e20, their negatives, and
/// 0.
const std::vector<double>& tensorflow_edges() {
  static const NeverDestroyed<std::vector<double>> edges([] {
    std::vector<double> all;
    for (double v = 1e-12; v < 1e20; v *= 1.1) all.push_back(-v);
    std::reverse(all.begin(), all.end());
    const std::size_t negative = all.size();
    all.push_back(0);
    for (std::size_t i = negative; i-- > 0;) all.push_back(-all[i]);
    return all;
  }());
  return *edges;
}

BinCounts count_bins(std::span<const double> values, const std::vector<double>& edges) {
  if (edges.size() < 2)
    fail<ValueError>("add_histogram: bins: expected at least two edges, got {}", edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (std::isnan(edges[i]) || (i > 0 && edges[i - 1] > edges[i]))
      fail<ValueError>("add_histogram: `bins` must increase monotonically, when an array");
  BinCounts bins{edges, std::vector<std::int64_t>(edges.size() - 1)};
  for (const double value : values) {
    if (!(value >= edges.front() && value <= edges.back())) continue;  // also NaN
    const auto next = std::upper_bound(edges.begin(), edges.end(), value);
    const auto bin = static_cast<std::size_t>(next - edges.begin()) - 1;
    ++bins.counts[std::min(bin, bins.counts.size() - 1)];
  }
  return bins;
}

std::pair<double, double> outer_edges(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // Comparisons with NaN are false, so that it can be anywhere.
  for (const double value : values)
    if (!std::isfinite(value))
      fail<ValueError>("add_histogram: the values must be finite with these bins, got {}", value);
  return *low == *high ? std::pair(*low - 0.5, *high + 0.5) : std::pair(*low, *high);
}

std::vector<double> linspace(double first, double last, std::int64_t bins) {
  std::vector<double> edges(static_cast<std::size_t>(bins) + 1);
  const double delta = last - first, step = delta / static_cast<double>(bins);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = step == 0 ? static_cast<double>(i) / static_cast<double>(bins) * delta + first
                         : static_cast<double>(i) * step + first;
  edges.back() = last;
  return edges;
}

std::int64_t number_of_bins(std::span<const double> values, const std::string& method) {
  const auto [first, last] = outer_edges(values);
  const double width = estimate_bin_width(values, method);
  if (width == 0) return 1;
  const double count = std::ceil((last - first) / width);
  if (!(count <= static_cast<double>(kMaxBins)))
    fail<ValueError>("add_histogram: bins='{}': too many bins: {}", method, count);
  return static_cast<std::int64_t>(count);
}

BinCounts count_bins(std::span<const double> values, const HistogramBins& bins) {
  if (const auto* edges = std::get_if<std::vector<double>>(&bins.spec()))
    return count_bins(values, *edges);
  if (const auto* count = std::get_if<std::int64_t>(&bins.spec()))
    return count_equal_bins(values, *count);
  const std::string& method = std::get<std::string>(bins.spec());
  if (method == "tensorflow") return count_bins(values, tensorflow_edges());
  return count_equal_bins(values, number_of_bins(values, method));
}

/// Merges groups of neighboring bins so that about `max_bins` remain.
void merge_bins(BinCounts& bins, std::int64_t max_bins) {
  if (max_bins < 1) fail<ValueError>("add_histogram: max_bins must be positive, got {}", max_bins);
  const std::size_t count = bins.counts.size();
  if (count <= static_cast<std::size_t>(max_bins)) return;
  const std::size_t group = count / static_cast<std::size_t>(max_bins);
  BinCounts merged;
  for (std::size_t i = 0; i < count; i += group) {
    merged.edges.push_back(bins.edges[i]);
    merged.counts.push_back(0);
    for (std::size_t k = i; k < std::min(i + group, count); ++k)
      merged.counts.back() += bins.counts[k];
  }
  merged.edges.push_back(bins.edges.back());
  bins = std::move(merged);
}

/// As `std::min` or `std::max` by `better`, but NaN if one of the values is NaN.
template <class Better> double extremum(std::span<const double> values, Better better) {
  double result = values.front();
  for (const double value : values)
    if (std::isnan(value) || better(value, result)) result = value;
  return result;
}

}  // namespace

BinCounts count_equal_bins(std::span<const double> values, std::int64_t count) {
  if (count < 1) fail<ValueError>("add_histogram: `bins` must be positive, when an integer");
  if (count > kMaxBins) fail<ValueError>("add_histogram: too many bins: {}", count);
  const auto [first, last] = outer_edges(values);
  const double delta = last - first, number = static_cast<double>(count);
  BinCounts bins{linspace(first, last, count),
                 std::vector<std::int64_t>(static_cast<std::size_t>(count))};
  const std::vector<double>& edges = bins.edges;
  for (std::size_t i = 1; i < edges.size(); ++i)
    if (!(edges[i - 1] < edges[i]))
      fail<ValueError>(
          "add_histogram: Too many bins for data range. Cannot create {} finite-sized bins.",
          count);
  const std::size_t end = bins.counts.size();
  for (const double value : values) {
    auto bin = std::min(static_cast<std::size_t>((value - first) / delta * number), end - 1);
    // The quotient may be rounded past an edge.
    if (value < edges[bin]) --bin;
    if (value >= edges[bin + 1] && bin != end - 1) ++bin;
    ++bins.counts[bin];
  }
  return bins;
}

HistogramSummary make_histogram(std::span<const double> values, const HistogramBins& bins,
                                std::optional<std::int64_t> max_bins) {
  if (values.empty()) fail<ValueError>("add_histogram: The input has no element.");
  BinCounts all = count_bins(values, bins);
  if (max_bins) merge_bins(all, *max_bins);
  const auto is_positive = [](std::int64_t count) { return count > 0; };
  const auto first = std::find_if(all.counts.begin(), all.counts.end(), is_positive);
  if (first == all.counts.end()) fail<ValueError>("add_histogram: no value is within the bins");
  const auto end = std::find_if(all.counts.rbegin(), all.counts.rend(), is_positive).base();

  HistogramSummary h;
  h.min = extremum(values, std::less<>());
  h.max = extremum(values, std::greater<>());
  h.num = static_cast<double>(values.size());
  for (const double value : values) {
    h.sum += value;
    h.sum_squares += value * value;
  }
  // TensorBoard stores the right edges only. The bin before the first one adds the left edge.
  h.bucket.push_back(first == all.counts.begin() ? 0 : static_cast<double>(first[-1]));
  for (auto count = first; count != end; ++count) h.bucket.push_back(static_cast<double>(*count));
  const auto edge = all.edges.begin() + (first - all.counts.begin());
  h.bucket_limit.assign(edge, edge + (end - first) + 1);
  return h;
}

}  // namespace taper::train::events
