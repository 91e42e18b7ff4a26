// distributed::checkpoint: state dicts on other numbers of ranks, replicated values, errors.
#include "taper/dist/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dist/support.h"
#include "support/temp_dir.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/io/load.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::errors_on_ranks;
using test::on_ranks;
using test::TempDir;

struct SavedNet : nn::Module {
  nn::Linear first{3, 5, {.bias = false}};  // its gradient would be rounding errors
  nn::BatchNorm1d norm{5};
  nn::Linear second{5, 2};
  TAPER_MODULE(SavedNet, first, norm, second)
  Tensor forward(Tensor x) { return second(tanh(norm(first(x)))); }
};

/// A network and its optimizer after `steps` steps, divided among the ranks of the default group.
struct Training {
  SavedNet net;
  std::unique_ptr<optim::AdamW> opt;

  explicit Training(int steps, bool sharded = true) {
    manual_seed(4);
    net = SavedNet();
    if (sharded) {
      fully_shard(net.first);
      fully_shard(net);
    }
    opt = std::make_unique<optim::AdamW>(net.parameters(), optim::AdamWOptions{.lr = 0.05});
    for (int t = 0; t < steps; ++t) step(t);
  }
  void step(int t) {
    manual_seed(static_cast<std::uint64_t>(100 + t));
    const Tensor x = randn({4, 3});
    opt->zero_grad();
    net(x).square().mean().backward();
    opt->step();
  }
  Value state() {
    return Value::dict(
        {{"model", get_model_state_dict(net)}, {"optim", get_optimizer_state_dict(net, *opt)}});
  }
  void resume(const std::string& folder) {
    const Value loaded = state();
    checkpoint::load(loaded, folder);
    set_model_state_dict(net, loaded["model"]);
    set_optimizer_state_dict(net, *opt, loaded["optim"]);
  }
};

void expect_same_values(const Value& actual, const Value& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [key, value] : expected.as_dict())
    EXPECT_TRUE(allclose(Value(actual[key]).as_tensor(), value.as_tensor(), 1e-5, 1e-6))
        << key.str();
}

Value whole_state(const SavedNet& net) {
  return get_model_state_dict(net, {.full_state_dict = true});
}

/// Saves on `writers` ranks after two steps, and continues on `readers` ranks.
void expect_resumed_training(int writers, int readers) {
  const TempDir dir;
  Training whole(3, false);
  on_ranks(writers, [&](int) { checkpoint::save(Training(2).state(), dir.path()); });
  on_ranks(readers, [&](int) {
    Training resumed(0);
    resumed.resume(dir.path());
    resumed.step(2);
    expect_same_values(whole_state(resumed.net), whole.net.state_dict());
  });
}

TEST(DistributedCheckpoint, ResumesOnAnyNumberOfRanks) {
  expect_resumed_training(4, 4);
  expect_resumed_training(4, 2);
  expect_resumed_training(2, 3);
  expect_resumed_training(3, 1);
}

TEST(DistributedCheckpoint, LoadsAsWholeTensorsInOneProcess) {
  const TempDir dir;
  on_ranks(4, [&](int) {
    Value state = Training(2).state();
    state["epoch"] = 3;
    checkpoint::save(state, dir.path());
  });
  const Training whole(2, false);
  const Value state = taper::load(dir.path());
  EXPECT_EQ(Value(state["epoch"]), Value(3));
  expect_same_values(state["model"], whole.net.state_dict());
  SavedNet net;
  EXPECT_TRUE(net.load_state_dict(state["model"]).empty());
}

TEST(DistributedCheckpoint, WritesEachPieceOnce) {
  const TempDir dir;
  on_ranks(4, [&](int) {
    SavedNet net;
    fully_shard(net, {.mesh = init_device_mesh({2, 2})});
    const checkpoint::Metadata metadata = checkpoint::save(
        Value::dict({{"model", get_model_state_dict(net)}, {"step", 1}}), dir.path());
    for (const checkpoint::EntryMetadata& entry : metadata.entries)
      EXPECT_EQ(entry.storage.size(), entry.name == "model.first.weight"                 ? 2u
                                      : entry.tensor && entry.tensor->chunks.size() == 2 ? 2u
                                                                                         : 1u);
  });
  EXPECT_EQ(dir.count(), 5u);  // a file of each rank and the metadata
}

TEST(DistributedCheckpoint, SavesTensorParallelModels) {
  const TempDir dir;
  manual_seed(4);
  nn::Sequential whole{nn::Linear(3, 5), nn::Linear(5, 4)};
  const auto divided = [&](auto&& f) {
    return [&whole, f](int) {
      nn::Sequential net = whole.clone();
      parallelize_module(net, init_device_mesh({get_world_size()}),
                         {{"0", ColwiseParallel()}, {"1", RowwiseParallel()}});
      f(net);
    };
  };
  on_ranks(2, divided([&](nn::Sequential& net) {
             checkpoint::save(get_model_state_dict(net), dir.path());
           }));
  expect_same_values(taper::load(dir.path()), whole.state_dict());
  on_ranks(3, divided([&](nn::Sequential& net) {
             const Value full = get_model_state_dict(net, {.full_state_dict = true});
             for (const Tensor& p : net.parameters()) p.data().zero_();
             checkpoint::load(get_model_state_dict(net), dir.path());
             expect_same_values(get_model_state_dict(net, {.full_state_dict = true}), full);
           }));
}

TEST(DistributedCheckpoint, WorksWithoutProcessGroup) {
  const TempDir dir;
  const Value nested = Value::dict({{"w", ones({2})}, {"none", Value()}, {"0", Value::list({1})}});
  const Value state = Value::dict({{"a", Value::list({nested, 2})}, {"empty", Value::dict()}});
  checkpoint::save(state, dir / "new");
  const Value loaded = taper::load(dir / "new");
  EXPECT_EQ(loaded.size(), 1u);  // as in PyTorch, empty dicts are omitted
  EXPECT_EQ(Value(loaded["a"][0]["0"]), Value::list({1}));
  EXPECT_EQ(Value(loaded["a"][1]), Value(2));
  const Tensor w = zeros({2}, {.dtype = DType::f64});
  const Value target = Value::dict({{"a", Value::list({Value::dict({{"w", w}}), 0})}});
  checkpoint::load(target, dir / "new");
  EXPECT_TRUE(equal(w, ones({2}, {.dtype = DType::f64})));
  EXPECT_EQ(Value(target["a"][1]), Value(2));
}

TEST(DistributedCheckpoint, ReplacesPreviousCheckpoint) {
  const TempDir dir;
  const auto save_step = [&](int step) {
    on_ranks(2, [&](int) {
      checkpoint::save(Value::dict({{"step", step}, {"w", full({3}, step)}}), dir.path());
    });
  };
  for (const int step : {1, 2, 3}) {
    save_step(step);
    EXPECT_EQ(Value(taper::load(dir.path())["step"]), Value(step));
    EXPECT_EQ(dir.count(), 3u);
  }
}

TEST(DistributedCheckpoint, PreservesPreviousCheckpointIfARankFails) {
  const TempDir dir;
  const auto save_value = [&](const Value& second) {
    return errors_on_ranks(2, [&](int rank) {
      const Value state = Value::dict({{"a", ones({2})}, {"b", rank == 0 ? Value(1) : second}});
      checkpoint::save(state, dir.path());
    });
  };
  EXPECT_EQ(save_value(1), (std::vector<std::string>{"", ""}));
  std::vector<std::string> errors = save_value(ones({2}));
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error, "'b' is a tensor on rank 1 only"));
  const Values cycle = {Value::list()};
  cycle[0].append(cycle[0]);
  errors = errors_on_ranks(2, [&](int rank) {
    const Value module = Value::list({1});
    if (rank == 1) module.append(module);
    try {
      checkpoint::save(Value::dict({{"a", ones({2})}, {"b", module}}), dir.path());
    } catch (...) {
      module.as_list().clear();
      throw;
    }
  });
  cycle[0].as_list().clear();
  EXPECT_TRUE(contains(errors[0], "checkpoint.save: rank 1 failed: "));
  EXPECT_FALSE(errors[1].empty());
  EXPECT_EQ(Value(taper::load(dir.path())["b"]), Value(1));
}

TEST(DistributedCheckpoint, RejectsPartsThatAreNotMarked) {
  const TempDir dir;
  const auto errors = errors_on_ranks(2, [&](int) {
    SavedNet net;
    fully_shard(net);
    checkpoint::save(net.state_dict(), dir.path());
  });
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error,
                         "'first.weight' is float32 [3, 3] on rank 0, but float32 [2, 3] on "
                         "rank 1"));
}

TEST(DistributedCheckpoint, LeavesStateUnchangedIfLoadingFails) {
  const TempDir dir;
  checkpoint::save(Value::dict({{"a", ones({2})}, {"b", ones({3})}, {"c", 1}}), dir.path());
  const auto error_of = [&](const Value& second, const char* name) {
    const Tensor a = zeros({2});
    const auto errors = errors_on_ranks(2, [&](int rank) {
      const Tensor own = a;
      checkpoint::load(
          rank == 0 ? Value::dict({{"a", own}}) : Value::dict({{"a", zeros({2})}, {name, second}}),
          dir.path());
    });
    EXPECT_TRUE(equal(a, zeros({2})));
    EXPECT_TRUE(contains(errors[0], "checkpoint.load: rank 1 failed: checkpoint.load: "));
    return errors[1];
  };
  EXPECT_TRUE(contains(error_of(zeros({2}), "b"), "'b' has the shape [3] in the checkpoint"));
  EXPECT_TRUE(contains(error_of(zeros({2}), "d"), "the checkpoint has no entry 'd'"));
  EXPECT_TRUE(contains(error_of(1, "b"), "'b' is a tensor in the checkpoint, got int"));
  EXPECT_TRUE(contains(error_text([&] { checkpoint::load(Value::dict(), dir / "none"); }),
                       "cannot open the file"));
  EXPECT_TRUE(contains(
      error_text([&] {
        checkpoint::save(Value::dict({{"a.b", 1}, {"a", Value::dict({{"b", 1}})}}), dir.path());
      }),
      "two entries of the state dict are named 'a.b'"));
}

TEST(SaveSafetensors, WritesWholeTensorsInShards) {
  const TempDir dir;
  manual_seed(4);
  const SavedNet whole;
  const auto save_on = [&](int ranks) {
    on_ranks(ranks, [&](int) {
      manual_seed(4);
      SavedNet net;
      fully_shard(net);
      checkpoint::save_safetensors(get_model_state_dict(net), dir / "model.safetensors");
    });
    expect_same_values(taper::load(dir.path()), whole.state_dict());
  };
  save_on(3);
  EXPECT_EQ(dir.count(), 4u);
  EXPECT_TRUE(taper::load(dir / "model-00001-of-00003.safetensors").contains("first.weight"));
  save_on(1);
  EXPECT_EQ(dir.count(), 1u);
  save_on(2);
  EXPECT_EQ(dir.count(), 3u);
}

TEST(SaveSafetensors, RejectsDifferentTensors) {
  const TempDir dir;
  const auto errors = errors_on_ranks(2, [&](int rank) {
    checkpoint::save_safetensors(Value::dict({{"a", ones({rank + 1})}}), dir / "a.safetensors");
  });
  for (const std::string& error : errors)
    EXPECT_TRUE(contains(error, "ranks 0 and 1 have tensors of different names or sizes"));
  EXPECT_TRUE(contains(error_text([&] {
                         checkpoint::save_safetensors(Value::dict({{"a", 1}}), dir / "a");
                       }),
                       "'a' is int, expected a tensor"));
  EXPECT_EQ(dir.count(), 0u);
}

TEST(GetOptimizerStateDict, ReturnsInitialStateAndLeavesOptimizerUnchanged) {
  nn::Linear net(2, 3);
  const Tensor before = net.weight.detach().clone();
  optim::AdamW opt(net.parameters(), {.lr = 0.25});
  const Value state = get_optimizer_state_dict(net, opt);
  EXPECT_TRUE(equal(Value(state["state"]["weight"]["exp_avg"]).as_tensor(), zeros({3, 2})));
  EXPECT_EQ(Value(state["param_groups"][0]["lr"]), Value(0.25));
  EXPECT_TRUE(opt.state(net.weight).is_none());
  EXPECT_FALSE(net.weight.grad().defined());
  EXPECT_TRUE(equal(net.weight, before));
  EXPECT_EQ(Value(opt.param_groups()[0]["lr"]), Value(0.25));
}

}  // namespace
}  // namespace taper::distributed
