// A small run that uses everything that a checkpoint of Trainer contains.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/io/save.h"
#include "taper/nn/activation.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/dropout.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
#include "taper/optim/adam.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/train/trainer.h"

namespace taper::test {

/// Points with a little noise that is drawn when they are read, as data augmentation does.
struct NoisyPoints {
  Tensor x, y;
  /// Number of points that are read before an exception; negative: there is no exception.
  std::shared_ptr<std::atomic<int>> remaining = std::make_shared<std::atomic<int>>(-1);

  std::int64_t size() const { return x.size(0); }
  std::pair<Tensor, Tensor> get(std::int64_t i) const {
    if (*remaining >= 0 && (*remaining)-- == 0) throw std::runtime_error("a point is unreadable");
    return {x[i] + 0.01 * randn({x.size(1)}), y[i]};
  }
};

inline NoisyPoints make_points(std::int64_t count) {
  const Generator generator(5);
  const Tensor x = randn({count, 4}, {}, generator);
  return {x, x.sum(1).gt(0).to(int64)};
}

/// A network, its optimizer and everything that a run changes.
struct SmallRun {
  explicit SmallRun(std::uint64_t seed = 3,
                    const data::DataLoaderOptions& loading = {.batch_size = 4, .shuffle = true})
      : seeded(manual_seed(seed)), loader(make_points(22), loading) {}

  Generator seeded;  // before the network draws its weights
  nn::Sequential net{nn::Linear(4, 8), nn::BatchNorm1d(8), nn::ReLU(), nn::Dropout(0.2),
                     nn::Linear(8, 2)};
  optim::AdamW optimizer{net.parameters(), {.lr = 0.01}};
  optim::lr_scheduler::StepLR scheduler{optimizer, 1, {.gamma = 0.5}};
  optim::lr_scheduler::ExponentialLR step_scheduler{optimizer, 0.99};
  data::DataLoader<NoisyPoints> loader;

  auto loss_fn() {
    return [this](const std::pair<Tensor, Tensor>& batch) {
      return F::cross_entropy(net(batch.first), batch.second);
    };
  }
  Value validate() {
    const Tensor x = loader.dataset().x;
    return Value::dict({{"accuracy", net(x).argmax(1).eq(loader.dataset().y).to(float32).mean()}});
  }
  train::FitResult fit(train::Trainer& trainer) {
    return trainer.fit(loader, loss_fn(), [this] { return validate(); });
  }
};

inline train::TrainerOptions options_of(SmallRun& parts, const std::string& folder = "") {
  return {.epochs = 3,
          .accumulate = 2,
          .clip_grad_norm = 1.0,
          .ema_decay = 0.9,
          .schedulers = {parts.scheduler},
          .step_schedulers = {parts.step_scheduler},
          .monitor = "accuracy",
          .monitor_mode = train::MonitorMode::max,
          .checkpoint = {.folder = folder},
          .progress = false};
}

/// The bytes of everything that a run changed, without measured times.
inline std::vector<std::byte> bytes_of(train::Trainer& trainer) {
  const Value state = trainer.state_dict();
  state.as_dict().erase("seconds");
  state.as_dict().erase("best_files");
  return save_to_bytes(state);
}

}  // namespace taper::test
