// A small run of train::Trainer on one of several ranks.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "taper/taper.h"

namespace taper::test {

using RankPoints = data::TensorDataset<2>;

inline RankPoints rank_points(std::int64_t count) {
  const Generator generator(5);
  const Tensor x = randn({count, 3}, {}, generator);
  return RankPoints(x, x.sum(1, true).sin());
}

/// A network and the batches of a rank: `global_batch` examples are divided among the ranks.
struct RankRun {
  explicit RankRun(int rank = 0, int size = 1, std::int64_t examples = 24,
                   std::int64_t global_batch = 12)
      : seeded(manual_seed(static_cast<std::uint64_t>(3 + rank))),
        loader(
            rank_points(examples),
            {.batch_size = global_batch / size,
             .sampler = std::make_shared<data::DistributedSampler>(
                 examples, data::DistributedSamplerOptions{.num_replicas = size, .rank = rank})}) {}

  Generator seeded;  // before the network draws its weights, which are those of rank 0
  nn::Sequential net{nn::Linear(3, 8), nn::Tanh(), nn::Linear(8, 1)};
  optim::SGD optimizer{net.parameters(), {.lr = 0.1, .momentum = 0.9}};
  optim::lr_scheduler::ReduceLROnPlateau plateau{optimizer, {.patience = 0}};
  data::DataLoader<RankPoints> loader;

  auto loss_fn() {
    return [this](const auto& batch) {
      const auto& [x, y] = batch;
      return F::mse_loss(net(x), y);
    };
  }
  double learning_rate() const { return optimizer.param_groups()[0]["lr"].as_double(); }
};

inline void expect_close(const RankRun& actual, const RankRun& expected) {
  const auto a = actual.net.parameters(), e = expected.net.parameters();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(allclose(a[i], e[i], 1e-4, 1e-5)) << i;
}

}  // namespace taper::test
