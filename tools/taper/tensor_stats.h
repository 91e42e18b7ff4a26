// Statistics of the elements of a tensor, computed in one pass.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"

namespace taper::cli {

/// Histogram with bins of equal width. The width is doubled whenever a value is out of range, so
/// the range does not have to be known in advance.
class Histogram {
 public:
  /// Sets the initial range from an estimate [first, last].
  void start(double first, double last);
  /// Counts a finite value.
  void add(double value);
  bool started() const { return started_; }
  /// Returns the counts in `bins` equal parts of [low, high].
  std::vector<std::uint64_t> counts(double low, double high, std::size_t bins) const;

 private:
  static constexpr int kBins = 2048;
  void widen();

  bool started_ = false;
  int exponent_ = 0;  // width of a bin: 2^exponent_
  double inverse_ = 1;
  double base_ = 0;  // index of the first bin
  std::array<std::uint64_t, kBins> bins_{};
};

struct TensorStats {
  std::int64_t count = 0, nans = 0, infinities = 0, zeros = 0;
  // Statistics of the finite elements; NaN if there are none.
  double min, max, mean;
  double std;  ///< with n - 1, as torch.std; NaN for fewer than two elements
  /// Numbers of finite elements in equal parts of [min, max].
  std::vector<std::uint64_t> histogram{};
  const char* unread = nullptr;  ///< reason why the elements were not read, or null
};

/// Computes the statistics of a tensor. Reads every element once, with bounded memory.
TensorStats stats_of(const TensorItem& item, std::size_t bins = 16);

/// Returns a drawing of a histogram with characters of eight heights: "▁▂▅█▅▂▁".
std::string sparkline(const std::vector<std::uint64_t>& counts);

}  // namespace taper::cli
