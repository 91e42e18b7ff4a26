// Checkpoint of a training run with AdamW and OneCycleLR that begins in Python, continues here, and
// returns to Python (scripts/golden/continued_run.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/temp_dir.h"
#include "taper/taper.h"
#include "taper_paths.h"

namespace taper {
namespace {

/// A run as the class Training of the script constructs it.
struct ContinuedRun {
  nn::Sequential net{nn::Linear(6, 16), nn::Tanh(), nn::Linear(16, 3)};
  optim::AdamW opt{{optim::ParamGroup(ends_with("weight")),
                    optim::ParamGroup(ends_with("bias"), {{"weight_decay", 0.0}})},
                   {.lr = 1e-3, .weight_decay = 0.05}};
  optim::lr_scheduler::OneCycleLR scheduler{opt, {0.02, 0.01}, {.total_steps = 150}};

  std::vector<Tensor> ends_with(const std::string& suffix) {
    std::vector<Tensor> found;
    for (const auto& p : net.named_parameters())
      if (p.name.ends_with(suffix)) found.push_back(p.value);
    return found;
  }

  Value checkpoint() {
    return Value::dict({{"model", net.state_dict()},
                        {"optimizer", opt.state_dict()},
                        {"scheduler", scheduler.state_dict()}});
  }
  void load(const Value& checkpoint) {
    net.load_state_dict(checkpoint["model"]);
    opt.load_state_dict(checkpoint["optimizer"]);
    scheduler.load_state_dict(checkpoint["scheduler"]);
  }

  double step(const Tensor& x, const Tensor& label) {
    opt.zero_grad();
    const Tensor loss = F::cross_entropy(net(x), label);
    loss.backward();
    opt.step();
    scheduler.step();
    return loss.item<double>();
  }
};

/// Largest differences from Python, relative to 1 + |value|.
struct Differences {
  double loss = 0, weight = 0;
};

double relative(double found, double expected) {
  return std::abs(found - expected) / (1 + std::abs(expected));
}

/// Continues from step `begin` to `end`. Rates and momenta must be equal to the last bit.
Differences train_and_compare(ContinuedRun& run, const Value& python, std::int64_t begin,
                              std::int64_t end) {
  Differences largest;
  const Tensor inputs = python["inputs"].as_tensor(), labels = python["labels"].as_tensor();
  for (std::int64_t t = begin; t < end; ++t) {
    for (std::int64_t g = 0; g < 2; ++g) {
      const optim::ParamGroup& group = run.opt.param_groups()[static_cast<std::size_t>(g)];
      EXPECT_EQ(group["lr"].as_double(), python["rates"][t][g].as_double()) << t;
      EXPECT_EQ(group["betas"][0].as_double(), python["betas"][t][g].as_double()) << t;
    }
    const double loss = run.step(inputs[t], labels[t]);
    largest.loss = std::max(largest.loss, relative(loss, python["losses"][t].as_double()));
  }
  const Value expected = python["weights " + std::to_string(end)], found = run.net.state_dict();
  for (const auto& [name, value] : expected.as_dict()) {
    const Tensor a = found[name].as_tensor().to(float64), b = value.as_tensor().to(float64);
    const Tensor difference = a.sub(b).abs().div(b.abs().add(1));
    largest.weight = std::max(largest.weight, difference.max().item<double>());
  }
  testing::Test::RecordProperty("losses_" + std::to_string(end),
                                std::to_string(largest.loss * 1e9) + "e-9");
  testing::Test::RecordProperty("weights_" + std::to_string(end),
                                std::to_string(largest.weight * 1e9) + "e-9");
  return largest;
}

// The same bound as for ten steps of each optimizer: after fifty steps in float32, rounding is
// still far below it, because the rates anneal and the loss is smooth.
constexpr double kBound = 1e-6;

TEST(ContinuedRun, ContinuesCheckpointOfPython) {
  const Value python = load(TAPER_TEST_DATA "/continued_run.pt");
  ContinuedRun run;
  run.load(python["checkpoint"]);
  const Differences largest = train_and_compare(run, python, 50, 100);
  EXPECT_LT(largest.loss, kBound);
  EXPECT_LT(largest.weight, kBound);

  const char* const wanted = std::getenv("TAPER_CONTINUED_RUN");  // for the check in Python
  const test::TempDir dir;
  const std::string path = wanted ? wanted : dir / "run.pt";
  save(run.checkpoint(), path);
  ContinuedRun again;
  again.load(load(path));
  const Differences rest = train_and_compare(again, python, 100, 150);
  EXPECT_LT(rest.loss, kBound);
  EXPECT_LT(rest.weight, kBound);
}

TEST(ContinuedRun, StateDictHasTheEntriesOfPython) {
  const Value python = load(TAPER_TEST_DATA "/continued_run.pt");
  ContinuedRun run;
  run.load(python["checkpoint"]);
  const Value ours = run.checkpoint(), theirs = python["checkpoint"];
  EXPECT_EQ(ours["scheduler"].repr(), theirs["scheduler"].repr());
  EXPECT_EQ(ours["optimizer"]["param_groups"].repr(), theirs["optimizer"]["param_groups"].repr());
  EXPECT_EQ(ours["optimizer"]["state"].repr(), theirs["optimizer"]["state"].repr());
}

}  // namespace
}  // namespace taper
