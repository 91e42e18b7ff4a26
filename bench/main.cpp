// taper_bench: prints the benchmark table, optionally compared with PyTorch in the same run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "baseline.h"
#include "benchmark.h"
#include "lenet/lenet.h"
#include "ops.h"
#include "peak.h"
#include "sweep/sweep.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Result {
  double ours = 0, spread = 0;
  std::optional<double> baseline{}, ratio{}, share{};  // share: of the peak of multiply-adds
  std::optional<bool> met{};
};

/// Measures a benchmark in rounds that alternate between Taper and the baseline, so that changes of
/// the machine's speed affect both. A null `baseline` is not measured.
Result measure(const Benchmark& benchmark, Baseline* baseline) {
  const bool has_baseline = baseline && !benchmark.baseline.empty();
  std::vector<double> ours, baseline_results, ratios;
  set_num_threads(benchmark.threads);
  for (int r = 0; r < benchmark.rounds; ++r) {
    ours.push_back(benchmark.measure());
    if (!has_baseline) continue;
    baseline_results.push_back(baseline->measure(benchmark.baseline, benchmark.threads));
    ratios.push_back(ours.back() / baseline_results.back());
  }
  Result result;
  const std::vector<double>& spread_samples = has_baseline ? ratios : ours;
  result.ours = median(ours);
  const auto [low, high] = std::minmax_element(spread_samples.begin(), spread_samples.end());
  result.spread = (*high - *low) / std::abs(median(spread_samples));
  if (has_baseline) result.baseline = median(baseline_results), result.ratio = median(ratios);
  if (benchmark.budget) result.met = result.ours <= *benchmark.budget;
  if (benchmark.budget_ratio && result.ratio)
    result.met = result.met.value_or(true) && *result.ratio <= *benchmark.budget_ratio;
  if (benchmark.multiply_adds > 0)
    result.share =
        benchmark.multiply_adds / (result.ours * 1e-3) / peak_multiply_adds(benchmark.threads);
  if (benchmark.budget_share && result.share)
    result.met = result.met.value_or(false) || *result.share >= *benchmark.budget_share;
  return result;
}

std::string budget_text(const Benchmark& benchmark) {
  std::string text;
  char number[32];
  if (benchmark.budget)
    std::snprintf(number, sizeof number, "%g %s", *benchmark.budget, benchmark.unit.c_str()),
        text = number;
  if (benchmark.budget_ratio)
    std::snprintf(number, sizeof number, "%sx%g", text.empty() ? "" : ", ",
                  *benchmark.budget_ratio),
        text += number;
  if (benchmark.budget_share)
    std::snprintf(number, sizeof number, " [%.0f%%]", 100 * *benchmark.budget_share),
        text += number;
  return text;
}

nlohmann::ordered_json as_json(const Benchmark& benchmark, const Result& r) {
  nlohmann::ordered_json j;
  const auto optional_to_json = [](const auto& v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json();
  };
  j["name"] = benchmark.name, j["threads"] = benchmark.threads, j["ours"] = r.ours,
  j["baseline"] = optional_to_json(r.baseline);
  j["unit"] = benchmark.unit, j["ratio"] = optional_to_json(r.ratio), j["spread"] = r.spread;
  j["share_of_limit"] = benchmark.limit ? nlohmann::ordered_json(*benchmark.limit / r.ours)
                                        : nlohmann::ordered_json();
  j["share_of_peak"] = optional_to_json(r.share);
  j["budget"] = budget_text(benchmark), j["met"] = optional_to_json(r.met);
  return j;
}

void print(const Benchmark& benchmark, const Result& r) {
  const auto cell = [](const std::optional<double>& v) {
    char text[32] = "-";
    if (v) std::snprintf(text, sizeof text, "%.4g", *v);
    return std::string(text);
  };
  std::printf("%-58s %2d  %9.4g %-3s %9s  %7s  %4.0f%%  %7s  %-14s %s\n", benchmark.name.c_str(),
              benchmark.threads, r.ours, benchmark.unit.c_str(), cell(r.baseline).c_str(),
              cell(r.ratio).c_str(), 100 * r.spread,
              cell(r.share           ? r.share
                   : benchmark.limit ? std::optional(*benchmark.limit / r.ours)
                                     : std::nullopt)
                  .c_str(),
              budget_text(benchmark).c_str(),
              !r.met   ? ""
              : *r.met ? "met"
                       : "MISSED");
  std::fflush(stdout);
}

/// Performs the work that a benchmark measures in a child process. Returns the exit status.
int run_as_child(const std::string& task) {
  if (task == "empty") return 0;
  if (const std::size_t colon = task.find(':'); colon != std::string::npos) {
    // "copy:PATH" and "map:PATH" load a file, to measure the memory that this requires.
    const Value v = load(task.substr(colon + 1), {.mmap = task.starts_with("map:")});
    return v.is_dict() ? 0 : 1;
  }
  set_num_threads(2);
  lenet::LeNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  const Tensor x = randn({64, 1, 28, 28}), y = randint(0, 10, {64});
  for (int i = 0; i < 30; ++i) {
    sgd.zero_grad();
    F::nll_loss(net(x), y).backward();
    sgd.step();
  }
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Measures speed and size, compared with PyTorch in the same run if --peer is given.");
  std::string json_path, python, only, ops, child;
  SweepOptions sweep;
  app.add_option("--json", json_path, "write the results to this file");
  app.add_option("--peer", python, "Python interpreter with torch");
  app.add_option(
      "--only", only,
      "run only benchmarks whose name contains this; those of models/ run only if it starts "
      "with 'models'");
  CLI::Option* ops_option =
      app.add_option("--ops", ops,
                     "time each op whose name contains this, instead of running benchmarks; with "
                     "--peer, compare it with PyTorch's at three sizes")
          ->expected(0, 1);
  app.add_option(
      "--filter", sweep.filter,
      "rows of --ops --peer: words in their families or expressions, separated by commas");
  app.add_option("--sizes", sweep.sizes,
                 "sizes of --ops --peer: of 1e3, 1e5 and 1e7; default: all");
  app.add_option("--threads", sweep.threads, "threads of --ops --peer; default: 2");
  app.add_option("--child", child, "internal")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
  if (!child.empty()) return run_as_child(child);
  std::unique_ptr<Baseline> baseline;
  if (!python.empty()) baseline = std::make_unique<Baseline>(python);
  if (ops_option->count() > 0) {
    if (!baseline) return time_ops(ops), 0;
    if (!ops.empty()) sweep.filter = ops;
    sweep.json = json_path;
    return run_sweep(sweep, *baseline), 0;
  }
  std::printf("%s\n", baseline ? ("baseline: " + baseline->version()).c_str()
                               : "baseline: none (--peer PYTHON compares with PyTorch)");
  std::printf("%-58s %2s  %9s %-3s %9s  %7s  %5s  %7s  %-14s\n", "benchmark", "th", "taper", "",
              "baseline", "ratio", "spread", "limit", "budget");
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector suites = {size_suite,      loading_suite,   saving_suite,        latency_suite,
                        module_suite,    network_suite,   large_network_suite, busy_suite,
                        attention_suite, recurrent_suite, sorting_suite,       function_suite,
                        optimizer_suite, data_suite};
  if (only.starts_with("models")) suites = {model_suite};
  for (const auto& suite : suites)
    for (const Benchmark& benchmark : suite()) {
      if (benchmark.name.find(only) == std::string::npos) continue;
      const Result r = measure(benchmark, baseline.get());
      print(benchmark, r);
      results.push_back(as_json(benchmark, r));
    }
  if (!json_path.empty()) {
    std::ofstream out(json_path);
    out << results.dump(1) << '\n';
    if (!out.flush()) throw std::runtime_error("bench: cannot write " + json_path);
  }
  return 0;
}

}  // namespace
}  // namespace taper::bench

int main(int argc, char** argv) {
  try {
    return taper::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
