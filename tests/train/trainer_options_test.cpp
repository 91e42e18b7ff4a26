// Options of Trainer: bits of a loop written by hand, and resumption with workers and generators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/temp_dir.h"
#include "taper/autograd/autocast.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/grad_scaler.h"
#include "taper/optim/sgd.h"
#include "taper/optim/swa_utils.h"
#include "train/small_run.h"

namespace {

using namespace taper;
using taper::test::bytes_of, taper::test::options_of, taper::test::SmallRun, taper::test::TempDir;
using train::FitResult, train::Trainer;

/// Options of a loader whose worker draws the noise of the points, so that it does not depend on
/// the order in which batches are read and losses are computed.
const data::DataLoaderOptions kOneWorker{.batch_size = 4, .shuffle = true, .num_workers = 1};

std::vector<std::byte> bytes_of_state(const nn::Module& net, optim::Optimizer& optimizer) {
  return save_to_bytes(
      Value::list({net.state_dict(), optimizer.state_dict(), tensor(get_rng_state())}));
}

TEST(TrainerOptions, UpdateAsALoopWrittenByHand) {
  for (const std::int64_t accumulate : {2, 4}) {  // of six batches: the last step may have fewer
    SmallRun by_hand(3, kOneWorker);
    optim::AveragedModel average(by_hand.net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.75)});
    const std::vector<Tensor> parameters = by_hand.net.parameters();
    for (int epoch = 0; epoch < 2; ++epoch) {
      by_hand.net.train();
      std::int64_t batches = 0;
      by_hand.optimizer.zero_grad();
      for (const auto& [x, y] : by_hand.loader) {
        (F::cross_entropy(by_hand.net(x), y) / accumulate).backward();
        if (++batches % accumulate != 0 && batches < by_hand.loader.size()) continue;
        nn::utils::clip_grad_norm_(parameters, 0.5);
        nn::utils::clip_grad_value_(parameters, 0.05);
        by_hand.optimizer.step();
        by_hand.optimizer.zero_grad();
        average.update_parameters(by_hand.net);
        by_hand.step_scheduler.step();
      }
      by_hand.scheduler.step();
    }
    const auto expected = bytes_of_state(by_hand.net, by_hand.optimizer);

    SmallRun trained(3, kOneWorker);
    Trainer trainer(trained.net, trained.optimizer,
                    {.epochs = 2,
                     .accumulate = accumulate,
                     .clip_grad_norm = 0.5,
                     .clip_grad_value = 0.05,
                     .ema_decay = 0.75,
                     .schedulers = {trained.scheduler},
                     .step_schedulers = {trained.step_scheduler},
                     .progress = false});
    EXPECT_EQ(trainer.fit(trained.loader, trained.loss_fn()), FitResult::finished);
    EXPECT_EQ(bytes_of_state(trained.net, trained.optimizer), expected) << accumulate;
    EXPECT_EQ(save_to_bytes(trainer.ema()->state_dict()), save_to_bytes(average.state_dict()));
  }
}

TEST(TrainerOptions, ScaleTheLossAsALoopWrittenByHand) {
  const amp::AutocastOptions autocast{.dtype = float16};
  // The first scale overflows float16, so that steps are skipped and the scale changes.
  const amp::GradScalerOptions scaling{.init_scale = 1 << 24, .growth_interval = 3};
  SmallRun by_hand, trained;
  manual_seed(1);
  amp::GradScaler scaler(scaling);
  for (int epoch = 0; epoch < 3; ++epoch) {
    by_hand.net.train();
    for (const auto& batch : by_hand.loader) {
      by_hand.optimizer.zero_grad();
      const Tensor loss = [&] {
        const amp::Autocast guard(autocast);
        return F::cross_entropy(by_hand.net(batch.first), batch.second);
      }();
      scaler.scale(loss).backward();
      scaler.step(by_hand.optimizer);
      scaler.update();
    }
  }
  const auto expected = bytes_of_state(by_hand.net, by_hand.optimizer);

  manual_seed(1);
  Trainer trainer(trained.net, trained.optimizer,
                  {.epochs = 3, .autocast = autocast, .grad_scaler = scaling, .progress = false});
  EXPECT_EQ(trainer.fit(trained.loader, trained.loss_fn()), FitResult::finished);
  EXPECT_EQ(bytes_of_state(trained.net, trained.optimizer), expected);
  const Value state = trainer.state_dict();
  EXPECT_EQ(save_to_bytes(state["scaler_state_dict"]), save_to_bytes(scaler.state_dict()));
  EXPECT_LT(scaler.get_scale(), scaling.init_scale);
}

TEST(TrainerOptions, SkipStepsThatAreNotFiniteWithAGradScaler) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Tensor> batches{full({2, 1}, nan), ones({2, 1})};
  // The guard is on, but a scaler skips the steps that it would report.
  Trainer trainer(net, optimizer,
                  {.grad_scaler = amp::GradScalerOptions{.init_scale = 8},
                   .detect_anomaly = true,
                   .progress = false});
  const std::vector<std::byte> before = save_to_bytes(net.state_dict());
  std::vector<bool> is_changed, is_finite;
  trainer.on_step([&](const train::StepResult& s) {
    is_changed.push_back(save_to_bytes(net.state_dict()) != before);
    is_finite.push_back(std::isfinite(s.loss));
  });
  EXPECT_EQ(trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); }),
            FitResult::finished);
  EXPECT_EQ(is_changed, (std::vector<bool>{false, true}));
  EXPECT_EQ(is_finite, (std::vector<bool>{false, true}));
  EXPECT_EQ(trainer.state_dict()["scaler_state_dict"]["scale"].as_double(), 4);
}

TEST(TrainerOptions, ComputeOnADeviceWithinAutocast) {
  SmallRun by_hand, trained;
  const auto loss_of = [](SmallRun& parts, const Tensor& x, const Tensor& y) {
    const Tensor out = parts.net(x);
    EXPECT_EQ(out.dtype(), DType::bf16);
    return F::cross_entropy(out, y);
  };
  manual_seed(1);
  for (const auto& [x, y] : by_hand.loader) {
    by_hand.optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard({.dtype = bfloat16});
      loss = loss_of(by_hand, x, y);
    }
    loss.backward();
    by_hand.optimizer.step();
  }
  manual_seed(1);
  Trainer trainer(trained.net, trained.optimizer,
                  {.device = Device::cpu(),
                   .autocast = amp::AutocastOptions{.dtype = bfloat16},
                   .progress = false});
  bool is_validated = false;
  trainer.fit(
      trained.loader,
      [&](const std::pair<Tensor, Tensor>& batch) {
        return loss_of(trained, batch.first, batch.second);
      },
      [&] {
        is_validated = is_autocast_enabled();
        return Value::dict();
      });
  EXPECT_TRUE(is_validated);
  EXPECT_EQ(bytes_of_state(trained.net, trained.optimizer),
            bytes_of_state(by_hand.net, by_hand.optimizer));
}

// Tensors of the device meta have no elements, so that the loss is one of other tensors.
TEST(TrainerOptions, MoveTheTensorsOfABatchToTheDevice) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  using Batch = std::pair<std::vector<Tensor>, Tensor>;
  const std::vector<Batch> batches{{{ones({2, 1}), zeros({2})}, ones({2})}};
  Trainer trainer(net, optimizer, {.device = Device("meta"), .progress = false});
  trainer.fit(batches, [&](const Batch& batch) {
    for (const Tensor& t : {batch.first[0], batch.first[1], batch.second})
      EXPECT_TRUE(t.device().is_meta());
    return net(ones({2, 1})).sum();
  });
  EXPECT_TRUE(batches[0].second.device().is_cpu()) << "the batch of the loader is not changed";
}

TEST(TrainerOptions, MoveTheTensorsOfAValueToTheDevice) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const std::vector<Value> batches{
      Value::dict({{"name", "a"},
                   {"pair", Value::named_tuple(
                                "Pair", {{"x", ones({3, 1})}, {"y", Value::list({ones({3})})}})}})};
  Trainer trainer(net, optimizer, {.device = Device("meta"), .progress = false});
  trainer.on_step([](const train::StepResult& s) { EXPECT_EQ(s.samples, 3); });
  trainer.fit(batches, [&](const Value& batch) {
    EXPECT_EQ(batch["name"].as_string(), "a");
    EXPECT_EQ(batch["pair"].type_name(), "Pair");
    EXPECT_TRUE(batch["pair"]["x"].as_tensor().device().is_meta());
    EXPECT_TRUE(batch["pair"]["y"][0].as_tensor().device().is_meta());
    return net(ones({2, 1})).sum();
  });
  EXPECT_TRUE(batches[0]["pair"]["x"].as_tensor().device().is_cpu());
}

TEST(TrainerOptions, PrintALinePerEpochOffATerminal) {
  SmallRun parts;
  train::TrainerOptions options = options_of(parts);
  options.progress = true;
  Trainer trainer(parts.net, parts.optimizer, std::move(options));
  ::testing::internal::CaptureStderr();
  parts.fit(trainer);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_TRUE(text.starts_with("epoch 1/3  train_loss ")) << text;
  for (const char c : {'\r', '\033', '['}) EXPECT_EQ(text.find(c), std::string::npos) << text;
}

TEST(TrainerOptions, SaveAfterMinutesWithinAnEpoch) {
  const TempDir dir;
  SmallRun parts;
  train::TrainerOptions options = options_of(parts, dir / "run");
  options.checkpoint.every_minutes = 1e-9;
  options.checkpoint.async = false;
  Trainer trainer(parts.net, parts.optimizer, std::move(options));
  std::int64_t steps = 0;
  trainer.on_step([&](const train::StepResult& s) {
    if (s.step > 1) { EXPECT_EQ(load(dir / "run/last.pt")["step"].as_int(), s.step - 1); }
    steps = s.step;
  });
  parts.fit(trainer);
  EXPECT_EQ(steps, 9);
  EXPECT_EQ(load(dir / "run/last.pt")["epoch"].as_int(), 3);
}

/// Stops a run after each step, resumes it with other weights, and compares it with a run that is
/// not stopped. `loading` returns the options of the loader, which draws from the generator.
void expect_resumes_at_every_step(
    const SharedFunction<data::DataLoaderOptions(const Generator&)>& loading) {
  const auto run = [&](std::uint64_t seed, const std::string& folder, std::int64_t stop) {
    const Generator generator(seed);
    SmallRun parts(seed, loading(generator));
    train::TrainerOptions options = options_of(parts, folder);
    options.generators = {generator};
    Trainer trainer(parts.net, parts.optimizer, std::move(options));
    trainer.on_step([&](const train::StepResult& s) {
      if (s.step == stop) trainer.stop();
    });
    if (!folder.empty()) trainer.resume();
    EXPECT_EQ(parts.fit(trainer), stop > 0 ? FitResult::stopped : FitResult::finished);
    return bytes_of(trainer);
  };
  const std::vector<std::byte> expected = run(3, "", 0);
  for (std::int64_t stop = 1; stop <= 9; ++stop) {
    const TempDir dir;
    run(3, dir / "run", stop);
    EXPECT_EQ(run(99, dir / "run", 0), expected) << "stopped after step " << stop;
  }
}

TEST(TrainerOptions, ResumeWithWorkersToTheBit) {
  expect_resumes_at_every_step([](const Generator&) {
    return data::DataLoaderOptions{.batch_size = 4, .shuffle = true, .num_workers = 2};
  });
}

TEST(TrainerOptions, ResumeWithTheGeneratorOfASamplerToTheBit) {
  for (const bool replacement : {false, true})
    expect_resumes_at_every_step([&](const Generator& generator) {
      data::DataLoaderOptions options{.batch_size = 4};
      options.sampler = std::make_shared<data::RandomSampler>(
          22, data::RandomSamplerOptions{.replacement = replacement, .generator = generator});
      return options;
    });
}

}  // namespace
