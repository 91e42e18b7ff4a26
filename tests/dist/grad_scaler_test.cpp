// amp::GradScaler with gradients that are divided among ranks.
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "dist/support.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::adam_of;
using test::on_ranks;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Net {
  nn::Sequential layers{nn::Linear(3, 4), nn::Linear(4, 1)};

  /// Sets the gradients of the parts of this rank. Not all ranks have rows of the last layer.
  void set_gradients(double value) const {
    for (const Tensor& p : layers.parameters()) p.set_grad(full_like(p, value));
  }
};

/// Performs a step with gradients of `value`. Returns true if it changes parameters.
bool step_changes(const Net& net, amp::GradScaler& scaler, optim::Optimizer& optimizer,
                  double value) {
  const Tensor p = net.layers.parameters()[0];
  const Tensor before = p.detach().clone();
  std::ignore = scaler.scale(ones({}));
  net.set_gradients(value);
  scaler.step(optimizer);
  scaler.update();
  return !p.equal(before);
}

TEST(GradScalerOfDividedGradients, SkipsTheStepOnAllRanks) {
  for (const bool shards : {true, false})
    on_ranks(3, [&](int rank) {
      Net net;
      if (shards)
        fully_shard(net.layers);
      else
        parallelize_module(net.layers, init_device_mesh({3}),
                           {{"0", ColwiseParallel()}, {"1", RowwiseParallel()}});
      optim::SGD sgd(net.layers.parameters(), {.lr = 0.1});
      amp::GradScaler scaler({.init_scale = 4});
      EXPECT_TRUE(step_changes(net, scaler, sgd, 1) || net.layers.parameters()[0].numel() == 0);
      EXPECT_FALSE(step_changes(net, scaler, sgd, rank == 1 ? kInfinity : 1));
      EXPECT_EQ(scaler.get_scale(), 2);
    });
}

TEST(GradScalerOfDividedGradients, IncludesRanksWithoutGradients) {
  on_ranks(3, [](int) {
    nn::Linear net(3, 1);
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer zero(net.parameters(), adam_of);
    zero.shard_gradients(ddp);  // rank 1 receives the gradient of the bias, rank 2 none
    double factor = 1;
    net.bias->register_hook([&](const Tensor& grad) { return grad * factor; });
    amp::GradScaler scaler({.init_scale = 4});
    for (const double next : {1.0, kInfinity}) {
      factor = next;
      const Tensor before = net.weight.detach().clone();
      zero.zero_grad();
      scaler.scale(net(ones({2, 3})).sum()).backward();
      scaler.step(zero);
      scaler.update();
      EXPECT_EQ(net.weight.equal(before), factor == kInfinity);
    }
    EXPECT_EQ(scaler.get_scale(), 2);
  });
}

TEST(GradScalerOfDividedGradients, RejectsStepsWithoutGradientsOnAllRanks) {
  const auto errors = test::errors_on_ranks(2, [](int) {
    Net net;
    fully_shard(net.layers);
    optim::SGD sgd(net.layers.parameters(), {.lr = 0.1});
    amp::GradScaler scaler;
    std::ignore = scaler.scale(ones({}));
    scaler.step(sgd);
  });
  for (const std::string& error : errors)
    EXPECT_EQ(error, "GradScaler.step: No inf checks were recorded for this optimizer.");
}

}  // namespace
}  // namespace taper::distributed
