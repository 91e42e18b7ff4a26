// The subcommand `taper plan-dist`.
#include <gtest/gtest.h>

#include <filesystem>

#include "command.h"
#include "quantity.h"
#include "support/error_text.h"
#include "taper_paths.h"
#include "usage_error.h"

namespace taper::cli::test {
namespace {

using taper::test::error_text;

std::vector<std::string> plan_line(std::vector<std::string> options) {
  options.insert(options.begin(), {"plan-dist", "Sequential(Linear(64, 32), ReLU(), Linear(32, 8))",
                                   "--input", "4x64"});
  return options;
}

TEST(PlanDist, PrintsATable) {
  const Outcome done = run(plan_line({"--ranks", "2,8..32", "--ranks-per-node", "4"}));
  EXPECT_EQ(done.status, 0) << done.err;
  for (const char* const part :
       {"Sequential  with input [4, 64] per rank", "one process: forward ", ", Adam ",
        "parameters 9.4 kB in 3 units", "network: latency 5.00 us, bandwidth 12.5 GB/s",
        "4 ranks per node", "algorithm: best", "Training", "Efficiency", "Memory per rank",
        "ZeRO-1", "fully_shard  "})
    EXPECT_TRUE(contains(done.out, part)) << part << "\n" << done.out;
  EXPECT_FALSE(contains(done.out, "prefetch")) << done.out;
}

TEST(PlanDist, PrintsJson) {
  const auto json = run(plan_line({"--json", "--prefetch", "--ranks", "2..4", "--bandwidth",
                                   "1GB/s", "--latency", "1us", "--algorithm", "ring"}))
                        .json();
  EXPECT_EQ(json["model"], "Sequential");
  EXPECT_EQ(json["inputs"], nlohmann::json::parse("[[4, 64]]"));
  EXPECT_EQ(json["network"]["bandwidth"], 1e9);
  EXPECT_EQ(json["algorithm"], "ring");
  EXPECT_EQ(json["recorded"]["parameter_bytes"], 4 * (64 * 32 + 32 + 32 * 8 + 8));
  EXPECT_EQ(json["recorded"]["units"].size(), 3u);
  EXPECT_EQ(json["recorded"]["gradients"].size(), 4u);
  ASSERT_EQ(json["predictions"].size(), 10u);
  const auto& ddp = json["predictions"][1];
  EXPECT_EQ(ddp["training"], "DDP");
  EXPECT_EQ(ddp["ranks"], 4);
  // A ring moves 2 (p - 1) / p of the gradients, and takes 2 (p - 1) messages.
  const double bytes = json["recorded"]["parameter_bytes"];
  EXPECT_NEAR(ddp["bytes_sent"].get<double>(), 1.5 * bytes, 1e-6 * bytes);
  EXPECT_NEAR(ddp["communication_seconds"].get<double>(), 6e-6 + 1.5 * bytes / 1e9, 1e-9);
  EXPECT_EQ(json["predictions"][9]["training"], "fully_shard, prefetch");
  for (const auto& row : json["predictions"]) {
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GT(row["memory_bytes"].get<double>(), 0);
  }
}

TEST(PlanDist, ScalesComputation) {
  const auto forward = [](const char* factor) {
    return run(plan_line({"--json", "--speedup", factor}))
        .json()["recorded"]["forward"]
        .get<double>();
  };
  EXPECT_LT(forward("1e6"), 1e-3 * forward("1"));
}

TEST(PlanDist, KnowsNetworksAndOptimizers) {
  const auto json = run({"plan-dist", "gpt2(n_layer=2, n_embd=32, n_head=2, vocab_size=50)",
                         "--ids", "--input", "1x7", "--optimizer", "SGD", "--json"})
                        .json();
  EXPECT_EQ(json["recorded"]["units"].size(), 3u);
  EXPECT_EQ(json["recorded"]["optimizer_state_per_byte"], 0);
  EXPECT_EQ(
      run({"plan-dist", "lenet", "--unit", "conv*", "--json"}).json()["recorded"]["units"].size(),
      3u);
}

TEST(PlanDist, RejectsInvalidOptions) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"--ranks", "8..4"}, "--ranks: expected numbers from 1 to 65536"},
      {{"--ranks", "0"}, "--ranks: expected numbers"},
      {{"--ranks", "2,"}, "--ranks: expected numbers"},
      {{"--bandwidth", "10"}, "--bandwidth: expected a positive number with a unit"},
      {{"--bandwidth", "0GB/s"}, "--bandwidth: expected a positive number"},
      {{"--bandwidth", "10Gb/s"}, "--bandwidth: expected a positive number"},
      {{"--latency", "-1us"}, "--latency: expected a time with a unit"},
      {{"--node-latency", "fast"}, "--node-latency: expected a time"},
      {{"--node-bandwidth", "fast"}, "--node-bandwidth: expected a positive number"},
      {{"--algorithm", "star"}, "--algorithm: unknown algorithm 'star'"},
      {{"--algorithm", "hierarchical"},
       "8 ranks are not a multiple of --ranks-per-node, which is 1"},
      {{"--algorithm", "hierarchical", "--ranks-per-node", "8", "--ranks", "12"},
       "12 ranks are not"},
      {{"--ranks-per-node", "0"}, "--ranks-per-node"},
      {{"--speedup", "0"}, "expected a number > 0, got '0'"},
      {{"--optimizer", "Quick"}, "--optimizer: unknown optimizer 'Quick'"},
      {{"--check", "--ranks", "4"}, "--ranks"},
      {{"--check"}, "--check requires several processes: taper run -n 2"}};
  for (const auto& [options, part] : wrong) {
    const Outcome done = run(plan_line(options));
    EXPECT_EQ(done.status, 2) << options[0];
    EXPECT_TRUE(contains(done.err, part)) << part << "\n" << done.err;
  }
  EXPECT_TRUE(contains(run({"plan-dist", "Linear(2, 3)"}).err, "--input is required"));
  const Outcome misfit = run({"plan-dist", "Linear(2, 3)", "--input", "1x4"});
  EXPECT_EQ(misfit.status, 1);
  EXPECT_TRUE(contains(misfit.err, "Linear: a training step failed for input [1, 4]: "))
      << misfit.err;
  const Outcome no_unit = run(plan_line({"--unit", "layers.*"}));
  EXPECT_EQ(no_unit.status, 1);
  EXPECT_TRUE(contains(no_unit.err, "no module with parameters matches 'layers.*'"));
}

TEST(PlanDist, ComparesPredictionsWithMeasurements) {
  if (!std::filesystem::exists(TAPER_BIN_DIR "/../lib/libtaper_dist_gloo.so"))
    GTEST_SKIP() << "the engine Gloo is not built";
  std::vector<std::string> line = {"run", "-n", "2", "--no-prefix", TAPER_BIN_DIR "/taper"};
  for (const std::string& part : plan_line({"--check", "--json"})) line.push_back(part);
  const Outcome done = run(line);
  ASSERT_EQ(done.status, 0) << done.err;
  const auto json = done.json();
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["backend"], "gloo");
  EXPECT_GT(json["link"]["latency"].get<double>(), 0);
  ASSERT_EQ(json["trainings"].size(), 5u);
  for (const auto& t : json["trainings"]) {
    EXPECT_GT(t["measured_seconds"].get<double>(), 0);
    EXPECT_GT(t["seconds"].get<double>(), 0);
  }
}

TEST(Quantities, HaveUnits) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("b", "100Gbit/s"), 12.5e9);
  EXPECT_DOUBLE_EQ(parse_bandwidth("b", "1.5 MB"), 1.5e6);
  EXPECT_DOUBLE_EQ(parse_bandwidth("b", "8kbit/s"), 1e3);
  EXPECT_DOUBLE_EQ(parse_latency("l", "5us"), 5e-6);
  EXPECT_DOUBLE_EQ(parse_latency("l", "0s"), 0);
  EXPECT_EQ(parse_rank_list("r", "8..64"), (std::vector<int>{8, 16, 32, 64}));
  EXPECT_EQ(parse_rank_list("r", "3,2..7"), (std::vector<int>{3, 2, 4, 7}));
  EXPECT_EQ(parse_rank_list("r", "5..5"), (std::vector<int>{5}));
  EXPECT_TRUE(
      contains(error_text<UsageError>([] { parse_bandwidth("--rate", "nanGB/s"); }), "--rate"));
}

TEST(Quantities, PrintSeconds) {
  EXPECT_EQ(format_seconds(1.234e-6), "1.23 us");
  EXPECT_EQ(format_seconds(99.96e-6), "100 us");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(2), "2.00 s");
  EXPECT_EQ(format_seconds(0), "0.00 us");
}

}  // namespace
}  // namespace taper::cli::test
