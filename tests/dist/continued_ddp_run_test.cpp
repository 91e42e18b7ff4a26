// The checkpoint of a run of PyTorch with DistributedDataParallel (scripts/golden/ddp_run.py),
// whose names begin with "module.", continues on any number of ranks.
#include <gtest/gtest.h>

#include <memory>

#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/taper.h"
#include "taper_paths.h"

namespace taper::distributed {
namespace {

using test::on_ranks;

std::unique_ptr<optim::Optimizer> adamw_of(optim::Params params) {
  return std::make_unique<optim::AdamW>(std::move(params), optim::AdamWOptions{.lr = 0.02});
}

nn::Sequential new_network() {
  return {nn::Linear(6, 16), nn::LayerNorm(16), nn::Tanh(), nn::Linear(16, 3)};
}

Value load_run() { return load(TAPER_TEST_DATA "/ddp_run.pt"); }

/// Continues the run with the rows of the rank, and expects the losses and weights of PyTorch.
void expect_continued(const Value& run, nn::Sequential& net, optim::Optimizer& opt) {
  const Tensor x = run["x"].as_tensor(), y = run["y"].as_tensor();
  const Value losses = run["losses"], final_state = run["final"];
  const std::int64_t rows = x.size(1) / get_world_size();
  for (std::int64_t t = run["step"].as_int(); t < x.size(0); ++t) {
    opt.zero_grad();
    const Tensor loss = F::cross_entropy(net(x[t].narrow(0, get_rank() * rows, rows)),
                                         y[t].narrow(0, get_rank() * rows, rows));
    loss.backward();
    opt.step();
    const Tensor mean = loss.detach().clone();
    all_reduce(mean, {.op = ReduceOp::avg});
    EXPECT_NEAR(mean.item<double>(), losses[t].as_double(), 1e-5) << "step " << t;
  }
  const Value state = get_model_state_dict(net, {.full_state_dict = true});
  for (const auto& [key, value] : final_state.as_dict())
    EXPECT_TRUE(allclose(Value(state[key]).as_tensor(), value.as_tensor(), 1e-4, 1e-5))
        << key.as_string();
}

TEST(ContinuedDdpRun, MatchesPyTorchOnAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 4})
    for (const bool sharded_state : {false, true})
      on_ranks(ranks, [&](int) {
        const Value run = load_run();
        nn::Sequential net = new_network();
        DistributedDataParallel ddp(net);
        const auto opt = sharded_state
                             ? std::make_unique<ZeroRedundancyOptimizer>(net.parameters(), adamw_of)
                             : adamw_of(net.parameters());
        EXPECT_TRUE(ddp.load_state_dict(run["model"]).empty());
        opt->load_state_dict(run["optimizer"]);
        expect_continued(run, net, *opt);
      });
}

TEST(ContinuedDdpRun, MatchesPyTorchWithoutTheWrapper) {
  on_ranks(2, [&](int) {
    const Value run = load_run();
    nn::Sequential net = new_network();
    EXPECT_TRUE(net.load_state_dict(run["model"], {.strip_prefixes = {"module."}}).empty());
    const Value model = net.state_dict();
    fully_shard(net);
    const auto opt = adamw_of(net.parameters());
    // The optimizer's state has numbers instead of names.
    const Value state = Value::dict(), numbered = run["optimizer"]["state"];
    const Value group = run["optimizer"]["param_groups"][0].as_dict().copy();
    Value names = Value::list();
    for (const nn::NamedTensor& p : net.named_parameters()) {
      state.as_dict().set(p.name, numbered[names.size()]);
      names.append(p.name);
    }
    group.as_dict().set("params", names);
    set_optimizer_state_dict(
        net, *opt, Value::dict({{"state", state}, {"param_groups", Value::list({group})}}),
        {.full_state_dict = true});
    expect_continued(run, net, *opt);
  });
}

// A run that Taper has saved continues on another number of ranks.
TEST(DdpRun, ContinuesOnAnotherNumberOfRanks) {
  const Value run = load_run();
  Value saved;
  on_ranks(4, [&](int rank) {
    nn::Sequential net = new_network();
    DistributedDataParallel ddp(net);
    const auto opt = adamw_of(net.parameters());
    ddp.load_state_dict(run["model"]);
    opt->load_state_dict(load_run()["optimizer"]);
    const Value first = run.as_dict().copy();
    const std::int64_t begin = run["step"].as_int(), middle = begin + 3;
    first.as_dict().set("x", run["x"].as_tensor().narrow(0, 0, middle));
    first.as_dict().set("final", Value::dict());
    expect_continued(first, net, *opt);
    if (rank != 0) return;
    saved = load(save_to_bytes(Value::dict(
        {{"model", ddp.state_dict()}, {"optimizer", opt->state_dict()}, {"step", middle}})));
  });
  for (const int ranks : {1, 2})
    on_ranks(ranks, [&](int) {
      nn::Sequential net = new_network();
      DistributedDataParallel ddp(net);
      const auto opt = adamw_of(net.parameters());
      const Value own = load(save_to_bytes(saved));
      EXPECT_TRUE(ddp.load_state_dict(own["model"]).empty());
      opt->load_state_dict(own["optimizer"]);
      const Value rest = run.as_dict().copy();
      rest.as_dict().set("step", own["step"]);
      expect_continued(rest, net, *opt);
    });
}

}  // namespace
}  // namespace taper::distributed
