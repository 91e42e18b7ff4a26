// One line of the table of figures.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace taper::bench {

struct Row {
  std::string name;
  int threads = 1;
  std::string unit;  ///< "us", "ns", "ms", "s", "MB"
  /// One measurement, in `unit`.
  std::function<double()> measure{};
  std::optional<double> budget{};        ///< the most it should be, in `unit`
  std::optional<double> budget_ratio{};  ///< the most it should be of the peer's figure
  std::optional<double> limit{};         ///< what straight-line code reaches, in `unit`
  std::string peer{};                    ///< the peer's row (scripts/peer); empty: it has none
  int rounds = 5;
};

/// The rows of each file under bench/rows, in the order of the table.
std::vector<Row> size_rows();
std::vector<Row> latency_rows();
std::vector<Row> module_rows();
std::vector<Row> network_rows();
std::vector<Row> optimizer_rows();
std::vector<Row> loading_rows();
std::vector<Row> saving_rows();

/// Seconds per call of f: the median over batches that together last about `seconds`.
double seconds_per_call(const std::function<void()>& f, double seconds = 0.25);
double nanoseconds_per_call(const std::function<void()>& f, double seconds = 0.25);

}  // namespace taper::bench
