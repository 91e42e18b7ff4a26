// The sweep: every op at three sizes, forward and with gradients, against PyTorch in the same run.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "baseline.h"
#include "sweep/row.h"

namespace taper::bench {

struct SweepOptions {
  std::string filter{};  ///< words separated by commas; a row is measured if it contains one
  std::string sizes{};   ///< "1e3", "1e5", "1e7", separated by commas; empty: all
  int threads = 2;
  std::string json{};  ///< file for the results; empty: none
};

/// One measurement: a row with one dtype at one size, forward or with gradients.
struct SweepResult {
  const SweepRow* row;
  std::string family, dtype;
  int size;
  bool backward;
  double ours = 0, baseline = 0, ratio = 0;  ///< seconds per call, and the median of the quotients
  std::string problem{};  ///< reason why it was not measured, or difference of the values
};

/// Returns `expression`, which is in C++, in Python.
std::string python_text(const std::string& expression);

/// Measures a row in rounds that alternate between the libraries. Adds the names of the ops that
/// ran to `ops`.
std::vector<SweepResult> measure_row(const SweepFamily& family, const SweepRow& row,
                                     const std::string& dtype, int size, Baseline& baseline,
                                     int threads, std::set<std::string>& ops);

/// Prints geometric means per size and family, and the slowest ops relative to the baseline.
void print_summary(const std::vector<SweepResult>& results);
/// Writes all results and the geometric means. Throws std::runtime_error if the file cannot be
/// written.
void write_json(const std::vector<SweepResult>& results, const std::string& version,
                const std::string& path);

/// Runs the sweep and prints its tables.
void run_sweep(const SweepOptions& options, Baseline& baseline);

}  // namespace taper::bench
