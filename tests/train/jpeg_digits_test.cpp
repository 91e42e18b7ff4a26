// The digits as a folder of JPEG files, trained through data, transforms, metrics and Trainer.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/data/idx.h"
#include "taper/data/image.h"
#include "taper/data/image_folder.h"
#include "taper/data/transforms/transforms.h"
#include "taper/metrics/metrics.h"
#include "taper/nn/activation.h"
#include "taper/nn/flatten.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
#include "taper/optim/adam.h"
#include "taper/train/trainer.h"
#include "taper_paths.h"

namespace {

using namespace taper;
namespace v2 = data::transforms;

/// Writes digits `first` to `last` - 1 to folder/CLASS/*.jpg.
void write_digits(const std::string& folder, std::int64_t first, std::int64_t last) {
  const Tensor pixels = data::read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  const Tensor labels = data::read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz");
  for (std::int64_t i = first; i < last; ++i) {
    const std::string below = folder + "/" + std::to_string(labels[i].item<int>());
    std::filesystem::create_directories(below);
    const Tensor gray = (pixels[i].to(float32) * (255.0 / 16)).to(uint8).unsqueeze(0);
    data::write_jpeg(gray, below + "/" + std::to_string(i) + ".jpg", 90);
  }
}

TEST(Trainer, LearnsTheDigitsFromJpegFiles) {
  const taper::test::TempDir dir;
  write_digits(dir / "train", 0, 800);
  write_digits(dir / "valid", 800, 1000);
  manual_seed(0);
  const v2::Compose to_input(
      {v2::ToDtype(float32, true), v2::Normalize({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5})});
  const data::ImageFolder train_set(dir / "train", {.transform = to_input}),
      valid_set(dir / "valid", {.transform = to_input});
  ASSERT_EQ(train_set.size(), 800);
  ASSERT_EQ(valid_set.classes().size(), 10u);
  data::DataLoader loader(
      train_set, {.batch_size = 32, .shuffle = true, .stage_threads = {{.fetch = 1, .decode = 2}}});
  data::DataLoader valid(valid_set, {.batch_size = 100, .num_workers = 1});

  nn::Sequential net{nn::Flatten(), nn::Linear(3 * 8 * 8, 64), nn::ReLU(), nn::Linear(64, 10)};
  optim::AdamW optimizer(net.parameters(), {.lr = 0.005});
  train::Trainer trainer(net, optimizer,
                         {.epochs = 4,
                          .monitor = "accuracy",
                          .monitor_mode = train::MonitorMode::max,
                          .progress = false});
  metrics::MulticlassAccuracy accuracy(10, {.average = "micro"});
  trainer.fit(
      loader, [&](const auto& batch) { return F::cross_entropy(net(batch.first), batch.second); },
      [&] {
        accuracy.reset();
        for (auto& [images, targets] : valid) accuracy.update(net(images), targets);
        return Value::dict({{"accuracy", accuracy.compute()}});
      });
  const std::vector<Value>& history = trainer.history();
  ASSERT_EQ(history.size(), 4u);
  EXPECT_LT(history[3]["train_loss"].as_double(), 0.5 * history[0]["train_loss"].as_double());
  EXPECT_GE(history[3]["accuracy"].as_double(), 0.85);
}

}  // namespace
