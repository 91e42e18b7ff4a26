// A run with train::Trainer: validation, checkpoints, and resuming within an epoch.
// examples/python/trainer.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <taper/taper.h>
#include <taper/train/trainer.h>

using namespace taper;

struct Points {
  Tensor x, y;
};

Points make_points(std::int64_t count) {
  const Tensor x = randn({count, 2});
  return {x, ((x * x).sum(1) > 1.0).to(int64)};  // outside of the circle
}

// Trains for 4 epochs, or until `last_step`.
void train_on(const Points& points, const Points& valid, const char* folder,
              std::int64_t last_step = -1) {
  manual_seed(1);
  nn::Sequential net{nn::Linear(2, 16), nn::Tanh(), nn::Dropout(0.1), nn::Linear(16, 2)};
  optim::SGD opt(net.parameters(), {.lr = 0.5, .momentum = 0.9});
  optim::lr_scheduler::StepLR scheduler(opt, 2, {.gamma = 0.1});
  data::DataLoader loader(data::TensorDataset(points.x, points.y),
                          {.batch_size = 16, .shuffle = true});

  train::Trainer trainer(net, opt,
                         {.epochs = 4,
                          .clip_grad_norm = 1.0,
                          .schedulers = {scheduler},
                          .monitor = "accuracy",
                          .monitor_mode = train::MonitorMode::max,
                          .checkpoint = {.folder = folder, .keep_best = 1},
                          .progress = false});
  trainer.on_step([&](const train::StepResult& step) {
    if (step.step == last_step) trainer.stop();
  });
  trainer.on_epoch([](const train::EpochResult& epoch) {
    std::printf("epoch %d  loss %.3f  accuracy %.3f\n", static_cast<int>(epoch.epoch),
                epoch.metrics["train_loss"].as_double(), epoch.metrics["accuracy"].as_double());
  });
  trainer.resume();  // if the folder contains a checkpoint
  trainer.fit(
      loader,
      [&](const auto& batch) {
        const auto& [x, y] = batch;
        return F::cross_entropy(net(x), y);
      },
      [&] {
        const Tensor right = net(valid.x).argmax(1) == valid.y;
        return Value::dict({{"accuracy", right.to(float32).mean()}});
      });
}

int main() {
  manual_seed(0);
  const Points points = make_points(200), valid = make_points(100);
  std::filesystem::remove_all("run");
  train_on(points, valid, "run", 31);  // stops in the third epoch
  train_on(points, valid, "run");      // continues there, to the same bits
}
