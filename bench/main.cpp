// taper_bench: prints the benchmark table, optionally compared with PyTorch in the same run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "lenet/lenet.h"
#include "ops.h"
#include "peer.h"
#include "row.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Result {
  double ours = 0, spread = 0;
  std::optional<double> peer{}, ratio{};
  std::optional<bool> met{};
};

/// Alternates rounds of Taper and the baseline, so that changes of the machine's speed affect both.
Result measure(const Row& row, Peer* peer) {
  const bool compared = peer && !row.peer.empty();
  std::vector<double> ours, theirs, ratios;
  set_num_threads(row.threads);
  for (int r = 0; r < row.rounds; ++r) {
    ours.push_back(row.measure());
    if (!compared) continue;
    theirs.push_back(peer->measure(row.peer, row.threads));
    ratios.push_back(ours.back() / theirs.back());
  }
  Result result;
  const std::vector<double>& spread_of = compared ? ratios : ours;
  result.ours = median(ours);
  const auto [low, high] = std::minmax_element(spread_of.begin(), spread_of.end());
  result.spread = (*high - *low) / std::abs(median(spread_of));
  if (compared) result.peer = median(theirs), result.ratio = median(ratios);
  if (row.budget) result.met = result.ours <= *row.budget;
  if (row.budget_ratio && result.ratio)
    result.met = result.met.value_or(true) && *result.ratio <= *row.budget_ratio;
  return result;
}

std::string budget_text(const Row& row) {
  std::string text;
  char number[32];
  if (row.budget)
    std::snprintf(number, sizeof number, "%g %s", *row.budget, row.unit.c_str()), text = number;
  if (row.budget_ratio)
    std::snprintf(number, sizeof number, "%sx%g", text.empty() ? "" : ", ", *row.budget_ratio),
        text += number;
  return text;
}

nlohmann::ordered_json as_json(const Row& row, const Result& r) {
  nlohmann::ordered_json j;
  const auto maybe = [](const auto& v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json();
  };
  j["name"] = row.name, j["threads"] = row.threads, j["ours"] = r.ours, j["peer"] = maybe(r.peer);
  j["unit"] = row.unit, j["ratio"] = maybe(r.ratio), j["spread"] = r.spread;
  j["share_of_limit"] =
      row.limit ? nlohmann::ordered_json(*row.limit / r.ours) : nlohmann::ordered_json();
  j["budget"] = budget_text(row), j["met"] = maybe(r.met);
  return j;
}

void print(const Row& row, const Result& r) {
  const auto cell = [](const std::optional<double>& v) {
    char text[32] = "-";
    if (v) std::snprintf(text, sizeof text, "%.4g", *v);
    return std::string(text);
  };
  std::printf("%-58s %2d  %9.4g %-3s %9s  %7s  %4.0f%%  %7s  %-14s %s\n", row.name.c_str(),
              row.threads, r.ours, row.unit.c_str(), cell(r.peer).c_str(), cell(r.ratio).c_str(),
              100 * r.spread,
              cell(row.limit ? std::optional(*row.limit / r.ours) : std::nullopt).c_str(),
              budget_text(row).c_str(),
              !r.met   ? ""
              : *r.met ? "met"
                       : "MISSED");
  std::fflush(stdout);
}

/// Runs the work of a child process.
int run_as_child(const std::string& what) {
  if (what == "empty") return 0;
  if (const std::size_t colon = what.find(':'); colon != std::string::npos) {
    // "copy:PATH" and "map:PATH": memory held by a load.
    const Value v = load(what.substr(colon + 1), {.mmap = what.starts_with("map:")});
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
  app.add_option("--json", json_path, "write the results to this file");
  app.add_option("--peer", python, "Python interpreter with torch");
  app.add_option("--only", only, "run only benchmarks whose name contains this");
  CLI::Option* by_op =
      app.add_option("--ops", ops,
                     "time each op whose name contains this, instead of running benchmarks")
          ->expected(0, 1);
  app.add_option("--child", child, "internal")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
  if (!child.empty()) return run_as_child(child);
  if (by_op->count() > 0) {
    time_ops(ops);
    return 0;
  }
  std::unique_ptr<Peer> peer;
  if (!python.empty()) peer = std::make_unique<Peer>(python);
  std::printf("%s\n", peer ? ("baseline: " + peer->version()).c_str()
                           : "baseline: none (--peer PYTHON compares with PyTorch)");
  std::printf("%-58s %2s  %9s %-3s %9s  %7s  %5s  %7s  %-14s\n", "benchmark", "th", "taper", "",
              "baseline", "ratio", "spread", "limit", "budget");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector groups = {size_rows,   loading_rows, saving_rows,   latency_rows,
                        module_rows, network_rows, optimizer_rows};
  for (const auto& make : groups)
    for (const Row& row : make()) {
      if (row.name.find(only) == std::string::npos) continue;
      const Result r = measure(row, peer.get());
      print(row, r);
      rows.push_back(as_json(row, r));
    }
  if (!json_path.empty()) {
    std::ofstream out(json_path);
    out << rows.dump(1) << '\n';
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
