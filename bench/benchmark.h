// A benchmark: one line of the table.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace taper::bench {

struct Benchmark {
  std::string name;
  int threads = 1;
  std::string unit;  ///< unit of the result: "us", "ns", "ms", "s", "MB" or "x"
  /// Performs one measurement and returns the result in `unit`.
  std::function<double()> measure{};
  std::optional<double> budget{};        ///< maximum result, in `unit`
  std::optional<double> budget_ratio{};  ///< maximum ratio of the result to the baseline's
  /// Minimum share of the machine's peak of multiply-adds, which meets the budget as well, and the
  /// number of multiply-adds of a result in ms.
  std::optional<double> budget_share{};
  double multiply_adds = 0;
  std::optional<double> limit{};  ///< result of straight-line code, in `unit`
  std::string baseline{};         ///< name in scripts/baseline; empty if it has no counterpart
  int rounds = 5;
};

/// Each returns the benchmarks of one file under bench/suites, in the order of the table.
std::vector<Benchmark> size_suite();
std::vector<Benchmark> latency_suite();
std::vector<Benchmark> module_suite();
std::vector<Benchmark> network_suite();
std::vector<Benchmark> large_network_suite();
std::vector<Benchmark> busy_suite();
std::vector<Benchmark> attention_suite();
std::vector<Benchmark> recurrent_suite();
std::vector<Benchmark> sorting_suite();
std::vector<Benchmark> function_suite();
std::vector<Benchmark> optimizer_suite();
std::vector<Benchmark> loading_suite();
std::vector<Benchmark> saving_suite();
std::vector<Benchmark> data_suite();
/// Takes about an hour.
std::vector<Benchmark> model_suite();

/// Returns the time per call of `f` in seconds: the median over batches that take about `seconds`
/// in total.
double seconds_per_call(const std::function<void()>& f, double seconds = 0.25);
double nanoseconds_per_call(const std::function<void()>& f, double seconds = 0.25);

}  // namespace taper::bench
