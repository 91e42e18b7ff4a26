#include "tensor_stats.h"
#include "core/element_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taper::cli {

void Histogram::start(double first, double last) {
  started_ = true;
  const double range = last - first;
  // Bins can be widened but never narrowed. A single value does not determine a range, so its bins
  // are as narrow as possible.
  exponent_ = range > 0 && std::isfinite(range) ? std::ilogb(range) - 10 : -1000;
  if (!std::isfinite(range)) exponent_ = 1000;
  exponent_ = std::max(exponent_, -1000);
  inverse_ = std::ldexp(1.0, -exponent_);
  base_ = std::floor(first * inverse_);
  while (!std::isfinite(base_) || std::abs(base_) > 0x1p50) {
    inverse_ /= 2, ++exponent_;
    base_ = std::floor(first * inverse_);
  }
  if (range == 0) base_ -= kBins / 2;
}

void Histogram::add(double value) {
  double at = std::floor(value * inverse_) - base_;
  while (!(at >= 0 && at < kBins)) {
    // Doubling the range moves it toward the value. It still covers all counted values.
    widen();
    at = std::floor(value * inverse_) - base_;
    if (at < 0 && std::abs(at) < kBins / 2) {
      const auto shift = static_cast<std::ptrdiff_t>(kBins / 2);
      // The upper half is empty after widening, so the lower half can be moved to it.
      std::move_backward(bins_.begin(), bins_.begin() + shift, bins_.end());
      std::fill(bins_.begin(), bins_.begin() + shift, 0);
      base_ -= kBins / 2;
      at += kBins / 2;
    }
  }
  ++bins_[static_cast<std::size_t>(at)];
}

void Histogram::widen() {
  const double new_base = std::floor(base_ / 2);
  const bool odd = base_ != 2 * new_base;
  std::array<std::uint64_t, kBins> merged{};
  for (std::size_t i = 0; i < kBins; ++i)
    merged[std::min<std::size_t>((i + odd) / 2, kBins - 1)] += bins_[i];
  bins_ = merged;
  base_ = new_base;
  inverse_ /= 2, ++exponent_;
}

std::vector<std::uint64_t> Histogram::counts(double low, double high, std::size_t bins) const {
  std::vector<std::uint64_t> out(bins, 0);
  const double width = high / 2 - low / 2;  // halved, because the range may overflow
  for (std::size_t i = 0; i < kBins; ++i) {
    if (!bins_[i]) continue;
    const double center = (base_ + static_cast<double>(i) + 0.5) / inverse_;
    const double share = width > 0 ? (center / 2 - low / 2) / width : 0;
    const auto at =
        static_cast<std::ptrdiff_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(bins));
    out[static_cast<std::size_t>(std::min(at, static_cast<std::ptrdiff_t>(bins) - 1))] += bins_[i];
  }
  return out;
}

TensorStats stats_of(const TensorItem& item, std::size_t bins) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  TensorStats s{.min = kNaN, .max = kNaN, .mean = kNaN, .std = kNaN};
  s.count = item.shape.numel();
  if (item.foreign) {
    s.unread = "unsupported dtype";
    return s;
  }
  const taper::DistinctElements d = taper::distinct_elements(item.tensor);
  if (taper::is_heavily_overlapping(d.tensor)) {
    s.unread = "overlapping elements";
    return s;
  }
  taper::ElementReader<double> elements(d.tensor);
  std::vector<double> chunk(4096);
  Histogram histogram;
  double finite_count = 0, mean = 0, squares = 0;
  for (std::size_t n; (n = elements.read(chunk)) > 0;) {
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    std::size_t num_finite = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = chunk[i];
      if (!std::isfinite(v)) {
        ++(std::isnan(v) ? s.nans : s.infinities);
        continue;
      }
      chunk[num_finite++] = v;
      low = std::min(low, v), high = std::max(high, v), sum += v;
      s.zeros += v == 0;
    }
    if (!num_finite) continue;
    if (!histogram.started()) histogram.start(low, high), s.min = low, s.max = high;
    s.min = std::min(s.min, low), s.max = std::max(s.max, high);
    const auto count = static_cast<double>(num_finite);
    double center = sum / count, spread = 0;
    if (!std::isfinite(center)) {  // the sum overflowed
      center = 0;
      for (std::size_t i = 0; i < num_finite; ++i) center += chunk[i] / count;
    }
    for (std::size_t i = 0; i < num_finite; ++i) {
      spread += (chunk[i] - center) * (chunk[i] - center);
      histogram.add(chunk[i]);
    }
    // Combines mean and variance of two parts (Chan et al.).
    const double delta = center - mean, all = finite_count + count;
    mean += delta * (count / all);
    squares += spread + delta * delta * finite_count * (count / all);
    finite_count = all;
  }
  const double total = finite_count * static_cast<double>(d.repeated);
  if (finite_count > 0) s.mean = mean;
  if (total > 1) s.std = std::sqrt(squares * static_cast<double>(d.repeated) / (total - 1));
  if (finite_count > 0) s.histogram = histogram.counts(s.min, s.max, bins);
  s.nans *= d.repeated, s.infinities *= d.repeated, s.zeros *= d.repeated;
  for (std::uint64_t& n : s.histogram) n *= static_cast<std::uint64_t>(d.repeated);
  return s;
}

std::string sparkline(const std::vector<std::uint64_t>& counts) {
  constexpr std::array kHeights = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint64_t max_count =
      counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::string text;
  for (const std::uint64_t n : counts) {
    const auto height =
        n == 0 ? 0
               : 1 + static_cast<std::size_t>(
                         7.0 * static_cast<double>(n) / static_cast<double>(max_count) + 0.5);
    text += kHeights[std::min<std::size_t>(height, 8)];
  }
  return text;
}

}  // namespace taper::cli
