// distributed::checkpoint::load of checkpoints that contain whole tensors.
#include <gtest/gtest.h>

#include "dist/support.h"
#include "support/temp_dir.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/dist/checkpoint.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::errors_on_ranks;
using test::on_ranks;
using test::TempDir;

struct WideNet : nn::Module {
  nn::Linear first{3, 7}, second{7, 2};
  nn::BatchNorm1d norm{2};
  TAPER_MODULE(WideNet, first, second, norm)
  Tensor forward(const Tensor& x) { return norm(second(tanh(first(x)))); }
};

/// Divides a network of other values than those of the checkpoint.
std::unique_ptr<WideNet> new_divided(bool by_columns) {
  manual_seed(8);
  auto net = std::make_unique<WideNet>();
  if (by_columns) {
    parallelize_module(*net, init_device_mesh({get_world_size()}),
                       {{"first", ColwiseParallel()}, {"second", RowwiseParallel()}});
  } else {
    fully_shard(net->first);
    fully_shard(*net);
  }
  return net;
}

void expect_loaded(const std::string& path, const Value& expected) {
  for (const int ranks : {1, 2, 4})
    for (const bool by_columns : {false, true})
      on_ranks(ranks, [&](int) {
        const auto net = new_divided(by_columns);
        checkpoint::load(get_model_state_dict(*net), path);
        const Value actual = get_model_state_dict(*net, {.full_state_dict = true});
        ASSERT_EQ(actual.size(), expected.size());
        for (const auto& [key, value] : expected.as_dict())
          EXPECT_TRUE(equal(Value(actual[key]).as_tensor(), value.as_tensor())) << key.as_string();
      });
}

TEST(LoadCheckpoint, ReadsPartsOfSafetensors) {
  manual_seed(4);
  WideNet whole;
  whole.norm.running_mean->fill_(3);
  for (const int writers : {1, 3}) {
    const TempDir dir;
    on_ranks(writers, [&](int) {
      checkpoint::save_safetensors(whole.state_dict(), dir / "model.safetensors");
    });
    expect_loaded(dir.path(), whole.state_dict());
    expect_loaded(dir / (writers == 1 ? "model.safetensors" : "model.safetensors.index.json"),
                  whole.state_dict());
  }
}

TEST(LoadCheckpoint, ReadsPartsOfTorchSaveFiles) {
  const TempDir dir;
  manual_seed(4);
  WideNet whole;
  optim::Adam whole_opt(whole.parameters());
  whole(randn({4, 3})).square().mean().backward();
  whole_opt.step();
  save(Value::dict({{"model", whole.state_dict()},
                    {"optim", get_optimizer_state_dict(whole, whole_opt)},
                    {"epoch", 5}}),
       dir / "run.pt");
  on_ranks(3, [&](int) {
    const auto net = new_divided(false);
    optim::Adam opt(net->parameters());
    const Value state = Value::dict({{"model", get_model_state_dict(*net)},
                                     {"optim", get_optimizer_state_dict(*net, opt)},
                                     {"epoch", 0}});
    checkpoint::load(state, dir / "run.pt");
    set_optimizer_state_dict(*net, opt, state["optim"]);
    EXPECT_EQ(Value(state["epoch"]), Value(5));
    EXPECT_TRUE(equal(full_tensor(net->first.weight), whole.first.weight));
    const Value actual = opt.state(net->first.weight);
    EXPECT_TRUE(equal(full_tensor(net->first.weight, Value(actual["exp_avg"]).as_tensor()),
                      Value(whole_opt.state(whole.first.weight)["exp_avg"]).as_tensor()));
  });
}

TEST(LoadCheckpoint, RejectsOtherShapesAndMissingEntries) {
  const TempDir dir;
  const WideNet whole;
  const Value state = whole.state_dict();
  const auto error_of_loading = [&] {
    save(state, dir / "model.safetensors", {.format = FileFormat::safetensors});
    const auto errors = errors_on_ranks(2, [&](int) {
      const auto net = new_divided(false);
      checkpoint::load(get_model_state_dict(*net), dir.path());
    });
    return errors[1];
  };
  state["first.weight"] = ones({6, 3});
  EXPECT_TRUE(contains(error_of_loading(),
                       "'first.weight' has the shape [6, 3] in the checkpoint, expected [7, 3]"));
  state.as_dict().erase("first.weight");
  EXPECT_TRUE(contains(error_of_loading(), "the checkpoint has no entry 'first.weight'"));
}

}  // namespace
}  // namespace taper::distributed
