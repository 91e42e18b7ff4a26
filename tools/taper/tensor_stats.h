// What the elements of a tensor look like, found in one pass.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "contents.h"

namespace taper::cli {

/// Counts of values in bins of one width that is doubled whenever a value falls outside, so that no
/// range need be known beforehand.
class Histogram {
 public:
  /// `first` and `last`: about where the values lie.
  void start(double first, double last);
  void add(double value);
  bool started() const { return started_; }
  /// The counts in `bins` equal parts of [low, high].
  std::vector<std::uint64_t> counts(double low, double high, std::size_t bins) const;

 private:
  static constexpr int kBins = 2048;
  void widen();

  bool started_ = false;
  int exponent_ = 0;  // a bin is 2^exponent_ wide
  double inverse_ = 1;
  double base_ = 0;  // the number of the first bin
  std::array<std::uint64_t, kBins> bins_{};
};

struct TensorStats {
  std::int64_t count = 0, nans = 0, infinities = 0, zeros = 0;
  // Of the finite elements; nan if there are none.
  double min, max, mean;
  double std;  ///< with n - 1, as Tensor.std; nan for fewer than two
  /// Of the finite elements, in equal parts of [least, greatest].
  std::vector<std::uint64_t> histogram{};
  const char* unread = nullptr;  ///< why the elements were not looked at
};

/// Reads every element once, in a bounded amount of memory.
TensorStats stats_of(const TensorItem& item, std::size_t bins = 16);

/// The histogram in eight heights of a character: "▁▂▅█▅▂▁".
std::string sparkline(const std::vector<std::uint64_t>& counts);

}  // namespace taper::cli
