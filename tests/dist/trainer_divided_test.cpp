// train::Trainer with parameters, gradients or states that are divided among ranks.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "dist/support.h"
#include "dist/trainer_run.h"
#include "support/temp_dir.h"
#include "taper/core/dict.h"
#include "taper/taper.h"
#include "taper/train/trainer.h"

namespace taper::distributed {
namespace {

using test::errors_on_ranks;
using test::on_ranks;
using test::RankRun;
using test::TempDir;
using train::FitResult, train::Trainer, train::TrainerOptions;

enum class Method : std::uint8_t { sharded_state, sharded_gradients, fully_shard, tensor_parallel };
constexpr Method kMethods[] = {Method::sharded_state, Method::sharded_gradients,
                               Method::fully_shard, Method::tensor_parallel};

std::unique_ptr<optim::Optimizer> new_adam(optim::Params params) {
  return std::make_unique<optim::Adam>(std::move(params), optim::AdamOptions{.lr = 0.01});
}

/// A run on one rank of the default group.
struct DividedRun : RankRun {
  std::optional<DistributedDataParallel> ddp{};
  std::unique_ptr<optim::Optimizer> adam{};

  // Ranks of a tensor-parallel run read the same batches.
  explicit DividedRun(Method method)
      : RankRun(method == Method::tensor_parallel ? 0 : get_rank(),
                method == Method::tensor_parallel ? 1 : get_world_size()) {
    switch (method) {
      case Method::sharded_state:
      case Method::sharded_gradients: {
        ddp.emplace(net);
        auto zero = std::make_unique<ZeroRedundancyOptimizer>(net.parameters(), new_adam);
        if (method == Method::sharded_gradients) zero->shard_gradients(*ddp);
        adam = std::move(zero);
        return;
      }
      case Method::fully_shard:
        for (const Tensor& p : net.parameters()) broadcast(p.detach(), 0);
        distributed::fully_shard(net[0]);
        distributed::fully_shard(net);
        break;
      case Method::tensor_parallel:
        parallelize_module(net, init_device_mesh({get_world_size()}),
                           {{"0", ColwiseParallel()}, {"2", RowwiseParallel()}});
        break;
    }
    adam = new_adam(net.parameters());
  }
};

void expect_near(const nn::Module& net, const nn::Module& expected) {
  const auto actual = net.parameters(), wanted = expected.parameters();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(allclose(full_tensor(actual[i]), wanted[i], 1e-4, 1e-5)) << i;
}

TEST(TrainerOfDividedRuns, ResumesWithAnotherNumberOfRanks) {
  const auto options_in = [](const std::string& folder) {
    return TrainerOptions{
        .epochs = 3, .clip_grad_norm = 0.3, .checkpoint = {.folder = folder}, .progress = false};
  };
  RankRun whole;
  const auto whole_adam = new_adam(whole.net.parameters());
  Trainer single(whole.net, *whole_adam, options_in(""));
  std::vector<double> norms;
  single.on_step([&](const train::StepResult& s) { norms.push_back(s.grad_norm); });
  single.fit(whole.loader, whole.loss_fn());
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    const TempDir dir;
    const auto train_on = [&](int ranks, std::int64_t first_step, std::int64_t last_step) {
      on_ranks(ranks, [&](int) {
        DividedRun run(method);
        Trainer trainer(run.net, *run.adam, options_in(dir / "run"));
        trainer.on_step([&](const train::StepResult& s) {
          EXPECT_NEAR(s.grad_norm, norms[static_cast<std::size_t>(s.step - 1)], 1e-4);
          if (s.step == last_step) trainer.stop();
        });
        EXPECT_EQ(trainer.resume(), first_step > 0);
        EXPECT_EQ(trainer.step(), first_step);
        trainer.fit(run.loader, run.loss_fn());
        EXPECT_EQ(trainer.step(), last_step);
        if (last_step == 6) expect_near(run.net, whole.net);
      });
    };
    train_on(2, 0, 1);  // within the first epoch
    train_on(3, 1, 3);
    train_on(1, 3, 4);
    {
      RankRun alone;  // without a process group
      const auto adam = new_adam(alone.net.parameters());
      Trainer trainer(alone.net, *adam, options_in(dir / "run"));
      EXPECT_TRUE(trainer.resume());
      trainer.on_step([&](const train::StepResult& s) {
        if (s.step == 5) trainer.stop();
      });
      trainer.fit(alone.loader, alone.loss_fn());
    }
    train_on(4, 5, 6);
    RankRun alone;
    const auto adam = new_adam(alone.net.parameters());
    Trainer trainer(alone.net, *adam, options_in(dir / "run"));
    EXPECT_TRUE(trainer.resume());
    expect_near(alone.net, whole.net);
    for (std::size_t i = 0; i < 4; ++i) {
      const Value state = adam->state(alone.net.parameters()[i]);
      const Value expected = whole_adam->state(whole.net.parameters()[i]);
      for (const char* const name : {"exp_avg", "exp_avg_sq"})
        EXPECT_TRUE(allclose(Value(state[name]).as_tensor(), Value(expected[name]).as_tensor(),
                             1e-3, 1e-6));
    }
  }
}

TEST(TrainerOfDividedRuns, ReturnsWholeStatesOnTheFirstRank) {
  for (const Method method : kMethods)
    on_ranks(2, [&](int rank) {
      DividedRun run(method);
      Trainer trainer(run.net, *run.adam, {.progress = false});
      trainer.fit(run.loader, run.loss_fn());
      const Value state = trainer.state_dict();
      if (rank != 0) return;
      RankRun alone;
      EXPECT_TRUE(alone.net.load_state_dict(state["model_state_dict"]).empty());
      const Value optimizer = state["optimizer_state_dict"];
      EXPECT_EQ(Value(optimizer["state"]).size(), 4u);
      EXPECT_EQ(Value(optimizer["state"][0]["exp_avg"]).as_tensor().shape(), (Shape{8, 3}));
      EXPECT_NO_THROW(new_adam(alone.net.parameters())->load_state_dict(optimizer));
    });
}

TEST(TrainerOfDividedRuns, PreservesTheStateIfLoadingFails) {
  for (const Method method : kMethods) {
    const TempDir dir;
    on_ranks(2, [&](int) {
      DividedRun run(method);
      Trainer trainer(run.net, *run.adam, {.epochs = 2, .progress = false});
      trainer.fit(run.loader, run.loss_fn());
      const auto bytes = [&] { return save_to_bytes(trainer.state_dict()); };
      const auto before = bytes();
      trainer.save(dir / "damaged.pt");
      const Value damaged = load(dir / "damaged.pt");
      const Value parameters = damaged["model_state_dict"];
      for (const auto& [key, value] : parameters.as_dict()) value.as_tensor().zero_();
      damaged.as_dict().set("scheduler_state_dict", Value::list({Value(1)}));
      EXPECT_THROW(trainer.load_state_dict(damaged), Error);
      EXPECT_EQ(bytes(), before);
    });
  }
}

TEST(TrainerOfDividedRuns, ReportsTheGradientOfAnyRankThatIsNotFinite) {
  const auto errors = errors_on_ranks(2, [&](int) {
    DividedRun run(Method::sharded_gradients);
    run.net[2].parameters()[1].register_hook(
        [](const Tensor& grad) { return grad * std::numeric_limits<double>::infinity(); });
    Trainer(run.net, *run.adam, {.clip_grad_norm = 1.0, .progress = false})
        .fit(run.loader, run.loss_fn());
  });
  for (const std::string& error : errors)  // only one of the ranks has the gradient
    EXPECT_EQ(error,
              "Trainer: the norm of the gradients is inf in epoch 1 after batch 0 (step 1); that "
              "of '2.bias' is not finite");
}

TEST(TrainerOfDividedRuns, FailsOnAllRanksIfOneFailsBeforeTheForwardPass) {
  const auto errors = errors_on_ranks(2, [&](int rank) {
    DividedRun run(Method::fully_shard);
    Trainer(run.net, *run.adam, {.progress = false}).fit(run.loader, [&](const auto& batch) {
      if (rank == 1) throw_error(ErrorKind::value, "no data");
      return run.loss_fn()(batch);
    });
  });
  EXPECT_TRUE(test::contains(errors[0], "rank 1 called all_reduce")) << errors[0];
  EXPECT_EQ(errors[1], "no data");
}

TEST(TrainerOfDividedRuns, AveragesParametersAndScalesLossesAsOneProcess) {
  const auto options_in = [](const std::string& folder) {
    return TrainerOptions{
        .epochs = 3,
        .grad_scaler = amp::GradScalerOptions{.init_scale = 1024, .growth_interval = 2},
        .clip_grad_norm = 0.3,
        .ema_decay = 0.5,
        .checkpoint = {.folder = folder},
        .progress = false};
  };
  const auto scale_of = [](Trainer& trainer) {
    const Value state = trainer.state_dict();
    return Value(state["scaler_state_dict"]["scale"]).as_double();
  };
  RankRun whole;
  const auto whole_adam = new_adam(whole.net.parameters());
  Trainer single(whole.net, *whole_adam, options_in(""));
  single.fit(whole.loader, whole.loss_fn());
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    const TempDir dir;
    for (const int ranks : {2, 3})
      on_ranks(ranks, [&](int) {
        DividedRun run(method);
        Trainer trainer(run.net, *run.adam, options_in(dir / "run"));
        EXPECT_EQ(trainer.resume(), ranks == 3);
        trainer.on_step([&](const train::StepResult& s) {
          if (ranks == 2 && s.step == 3) trainer.stop();
        });
        trainer.fit(run.loader, run.loss_fn());
        if (ranks == 2) return;
        expect_near(run.net, whole.net);
        expect_near(*trainer.ema()->module, *single.ema()->module);
        EXPECT_EQ(scale_of(trainer), scale_of(single));
      });
    RankRun alone;
    const auto adam = new_adam(alone.net.parameters());
    Trainer trainer(alone.net, *adam, options_in(dir / "run"));
    EXPECT_TRUE(trainer.resume());
    expect_near(*trainer.ema()->module, *single.ema()->module);
  }
}

}  // namespace
}  // namespace taper::distributed
