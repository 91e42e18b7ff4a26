// Histograms of tensors, with the bins of numpy.histogram.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "taper/train/event_records.h"
#include "taper/train/summary_options.h"

namespace taper::train::events {

/// Returns the histogram of the values, without empty bins at both ends. If there are more than
/// `max_bins` bins, neighboring ones are merged. Throws ValueError if there are no values, none is
/// within the bins, or the bins are invalid.
HistogramSummary make_histogram(std::span<const double> values, const HistogramBins& bins,
                                std::optional<std::int64_t> max_bins);

/// Returns the width of bins for `values` by a method of numpy.histogram_bin_edges; 0: one bin.
/// Throws ValueError for an unknown method.
double estimate_bin_width(std::span<const double> values, const std::string& method);

/// Counts of bins. Bin `i` is [edges[i], edges[i + 1]), the last one includes its end.
struct BinCounts {
  std::vector<double> edges{};
  std::vector<std::int64_t> counts{};
};
/// Returns the counts of `count` bins of equal width from the minimum to the maximum of the values.
/// Throws ValueError if the values are not finite or `count` is invalid.
BinCounts count_equal_bins(std::span<const double> values, std::int64_t count);

}  // namespace taper::train::events
